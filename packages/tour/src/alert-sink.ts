/** Where the tour's alerts arrive: a small web server on this machine's end of the cluster's network. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An alert, as much of it as the tour tells. */
export interface ReceivedAlert {
  readonly service: string;
  readonly incident: string;
  readonly severity: string;
  readonly title: string;
}

export interface AlertSink {
  readonly url: string;
  /** Everything that came, in order. */
  readonly received: readonly ReceivedAlert[];
  close(): void;
}

/** @param host An address of this machine that pods can reach. */
export async function openAlertSink(host: string, onAlert: (alert: ReceivedAlert) => void): Promise<AlertSink> {
  const received: ReceivedAlert[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    response.end();
    const alert = JSON.parse(body) as ReceivedAlert;
    received.push(alert);
    onAlert(alert);
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, host, resolve));
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://${host}:${port}`, received, close };
}
