/** Requests through a Service, at a steady rate and each on a connection of its own, as strangers make them. */
import { request } from 'node:http';

const TIMEOUT = 1000;

/** When a request was sent, and whether it was answered well. */
export interface Attempt {
  readonly at: number;
  readonly well: boolean;
}

/** Requests that are being sent. */
export interface Traffic {
  readonly attempts: readonly Attempt[];
  /** From now on so many requests a second. */
  setRate(perSecond: number): void;
  stop(): void;
}

/** Where to, and how often. */
export interface TrafficOptions {
  readonly hosts: readonly string[];
  readonly port: number;
  readonly perSecond: number;
  /** How long each may take, in milliseconds; a second unless given. */
  readonly timeout?: number;
}

/** Sends until it is stopped, to each of the hosts in turn. */
export function startTraffic({ hosts, port, perSecond, timeout = TIMEOUT }: TrafficOptions): Traffic {
  const attempts: Attempt[] = [];
  let sent = 0;
  const send = () => {
    const at = performance.now();
    const host = hosts[sent++ % hosts.length] ?? '';
    void ask(host, port, timeout).then((well) => attempts.push({ at, well }));
  };
  let timer = setInterval(send, 1000 / perSecond);
  return {
    attempts,
    setRate(rate) {
      clearInterval(timer);
      timer = setInterval(send, 1000 / rate);
    },
    stop: () => clearInterval(timer),
  };
}

async function ask(host: string, port: number, timeout: number): Promise<boolean> {
  return await new Promise((resolve) => {
    const asked = request({ host, port, agent: false, timeout, signal: AbortSignal.timeout(timeout) }, (answer) => {
      answer.resume();
      answer.once('end', () => resolve(answer.statusCode === 200));
      answer.once('error', () => resolve(false));
    });
    asked.once('error', () => resolve(false));
    asked.end();
  });
}
