/** Customers of the shop: requests at a steady rate, each on a connection of its own, and none of them tried again. */
import { request } from 'node:http';

/** How many requests a second. */
export const RATE = 10;
const PATIENCE = 2000;

/** How it went until now. */
export interface Served {
  readonly answered: number;
  /** Not answered in time, or not well. */
  readonly lost: number;
}

export interface Customers {
  served(): Served;
  stop(): void;
}

/** They come until they are stopped, to each of the hosts in turn. */
export function sendCustomers(hosts: readonly string[], port: number): Customers {
  const served = { answered: 0, lost: 0 };
  let sent = 0;
  const timer = setInterval(() => {
    const host = hosts[sent++ % hosts.length] ?? '';
    void isServed(host, port).then((isWell) => {
      served[isWell ? 'answered' : 'lost']++;
    });
  }, 1000 / RATE);
  return { served: () => ({ ...served }), stop: () => clearInterval(timer) };
}

async function isServed(host: string, port: number): Promise<boolean> {
  return await new Promise((resolve) => {
    const fail = () => resolve(false);
    const asked = request({ host, port, agent: false, signal: AbortSignal.timeout(PATIENCE) }, (answer) => {
      answer
        .on('end', () => resolve(answer.statusCode === 200))
        .on('error', fail)
        .resume();
    });
    asked.on('error', fail).end();
  });
}
