/** Requests through a Service, at a steady rate and each on a connection of its own, as strangers make them. */
import { request } from 'node:http';

const REQUESTS_PER_SECOND = 50;
const TIMEOUT = 1000;

/** When a request was sent, and whether it was answered well. */
export interface Attempt {
  readonly at: number;
  readonly well: boolean;
}

export interface Traffic {
  readonly attempts: readonly Attempt[];
  stop(): void;
}

/** Sends until it is stopped, to each of the hosts in turn. */
export function startTraffic(hosts: readonly string[], port: number): Traffic {
  const attempts: Attempt[] = [];
  let sent = 0;
  const timer = setInterval(() => {
    const at = performance.now();
    const host = hosts[sent++ % hosts.length] ?? '';
    void ask(host, port).then((well) => attempts.push({ at, well }));
  }, 1000 / REQUESTS_PER_SECOND);
  return { attempts, stop: () => clearInterval(timer) };
}

async function ask(host: string, port: number): Promise<boolean> {
  return await new Promise((resolve) => {
    const asked = request(
      { host, port, agent: false, timeout: TIMEOUT, signal: AbortSignal.timeout(TIMEOUT) },
      (answer) => {
        answer.resume();
        answer.once('end', () => resolve(answer.statusCode === 200));
        answer.once('error', () => resolve(false));
      },
    );
    asked.once('error', () => resolve(false));
    asked.end();
  });
}
