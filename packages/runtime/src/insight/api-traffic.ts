/**
 * What goes to and fro between this process and its API server: counted for `rest_client_requests_total`, and looked
 * at by readiness. The client announces every request by itself, so no request pays for a wrapper.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { type Clock, systemClock } from '../clock.ts';
import type { MetricFamily, Sample } from './metric-family.ts';

/** As @kurator/client documents it. */
interface Announced {
  readonly request: { readonly origin: string; readonly method: string };
  /** Undefined if no answer came. */
  readonly status: number | undefined;
}

const ANSWERED = 'kurator:client:answer';
/** What client-go writes where there was no answer. */
const NO_ANSWER = '<error>';

export class ApiTraffic {
  readonly #clock: Clock;
  readonly #origin: string;
  readonly #host: string;
  readonly #counts = new Map<string, number>();
  /**
   * Clock.now() of the last answer of a server that works; undefined again once it doesn't know us any more, or a
   * request got no answer.
   */
  lastAnswerAt: number | undefined;

  /** @param server The API server's URL. */
  constructor(server: string, clock: Clock = systemClock) {
    const { origin, host } = new URL(server);
    this.#clock = clock;
    this.#origin = origin;
    this.#host = host;
  }

  start(): void {
    subscribe(ANSWERED, this.#onAnswer);
  }

  stop(): void {
    unsubscribe(ANSWERED, this.#onAnswer);
  }

  get family(): MetricFamily {
    return {
      type: 'counter',
      name: 'rest_client_requests_total',
      help: 'HTTP requests to the API server, by status code, method and host',
      samples: () => this.#samples(),
    };
  }

  *#samples(): Generator<Sample> {
    for (const [key, value] of this.#counts) {
      const [method = '', code = ''] = key.split(' ');
      yield { labels: { code, method, host: this.#host }, value };
    }
  }

  readonly #onAnswer = (message: unknown): void => {
    const { request, status } = message as Announced;
    if (request.origin !== this.#origin) return;
    this.#add(request.method, status ?? NO_ANSWER);
    if (status === undefined || status === 401) this.lastAnswerAt = undefined;
    else if (status < 500) this.lastAnswerAt = this.#clock.now();
  };

  #add(method: string, code: number | string): void {
    const key = `${method} ${code}`;
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }
}
