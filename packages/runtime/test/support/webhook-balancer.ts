/** What a Service is to the API server: one address, connections to each of the backends in turn. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { onTestFinished } from 'vitest';

export interface Balancer {
  readonly url: string;
  /** The ports that connections go to. */
  readonly backends: Set<number>;
}

export async function balancer(): Promise<Balancer> {
  const backends = new Set<number>();
  let turn = 0;
  const server = createServer((incoming) => {
    const ports = [...backends];
    const port = ports[turn++ % ports.length];
    if (port === undefined) {
      incoming.destroy();
      return;
    }
    const outgoing = connect({ port, host: '127.0.0.1' });
    incoming.pipe(outgoing).pipe(incoming);
    incoming.on('error', () => outgoing.destroy());
    outgoing.on('error', () => incoming.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { backends, url: `https://127.0.0.1:${(server.address() as AddressInfo).port}` };
}
