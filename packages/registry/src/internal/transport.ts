/** Sends requests to registries and to where they lead: connections, certificates, time, redirections, budgets. Knows no log-in. */
import { Readable } from 'node:stream';
import { Agent, type Dispatcher, EnvHttpProxyAgent, request } from 'undici';
import type { RepositoryName } from '../image-name.ts';
import { isInRange, isLoopback, type ProxySettings, type RegistrySettings, registryUrl } from '../settings.ts';
import { HostBudget } from './budget.ts';
import { badContent, type Errand, rateLimited, unreachable } from './trouble.ts';

export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
export type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** One request, as it goes out. */
export interface Outgoing {
  readonly errand: Errand;
  readonly method: Method;
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  /** Only for the origin of `url`; whoever it redirects to is not told. */
  readonly authorization?: string | undefined;
  /** Made anew for each try. */
  readonly body?: (() => Readable | string | Uint8Array) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface Answer {
  /** Who gave it: not who was asked, where that one sent us elsewhere. */
  readonly url: URL;
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly body: Readable;
}

export interface TransportOptions {
  readonly registries: Readonly<Record<string, RegistrySettings>>;
  readonly proxy: ProxySettings | undefined;
  /** For how long nothing may happen, in milliseconds. */
  readonly timeout: number;
}

const MOST_REDIRECTIONS = 5;
const CONNECT_TIMEOUT = 10_000;
/** What is thrown away is thrown away up to here; then the connection is. */
const MOST_TO_DUMP = 64 * 1024;

export class Transport {
  readonly #options: TransportOptions;
  readonly #dispatchers = new Map<string, Dispatcher>();
  readonly #budgets = new Map<string, HostBudget>();

  constructor(options: TransportOptions) {
    this.#options = options;
    for (const [host, settings] of Object.entries(options.registries)) registryUrl(host, settings);
  }

  /** Where the registry is. */
  urlOf({ host }: Pick<RepositoryName, 'host'>): URL {
    return registryUrl(host, this.#options.registries[host]);
  }

  budgetOf({ host }: URL): HostBudget {
    const known = this.#budgets.get(host);
    if (known) return known;
    const budget = new HostBudget();
    this.#budgets.set(host, budget);
    return budget;
  }

  async send(outgoing: Outgoing): Promise<Answer> {
    const { errand, method, signal } = outgoing;
    let url = outgoing.url;
    for (let followed = 0; ; followed++) {
      const answer = await this.#sendOnce(outgoing, url);
      this.budgetOf(url).hear(answer.status, answer.headers);
      const location = header(answer.headers, 'location');
      const isElsewhere = ['GET', 'HEAD'].includes(method) && answer.status >= 301 && answer.status <= 308 && location;
      if (!isElsewhere) return answer;
      await dump(answer.body);
      signal?.throwIfAborted();
      if (followed === MOST_REDIRECTIONS) throw badContent(errand.place, `more than ${MOST_REDIRECTIONS} redirections`);
      url = this.#next(errand, url, location);
      const { retryAt } = this.budgetOf(url);
      if (retryAt) throw rateLimited(errand.place, retryAt);
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#dispatchers.values()].map((dispatcher) => dispatcher.destroy()));
  }

  #next({ place }: Errand, from: URL, location: string): URL {
    const url = URL.parse(location, from.href);
    if (!url || !/^https?:$/.test(url.protocol)) throw badContent(place, 'a redirection that leads nowhere');
    if (from.protocol === 'https:' && url.protocol === 'http:') {
      throw badContent(place, `a redirection from HTTPS to plain HTTP (${url.host})`);
    }
    return url;
  }

  async #sendOnce(
    { errand, method, url: first, headers, authorization, body, signal }: Outgoing,
    url: URL,
  ): Promise<Answer> {
    const isHome = url.origin === first.origin;
    const stalled = new AbortController();
    const watch = new Watch(this.#options.timeout, () =>
      stalled.abort(new DOMException('nothing moved', 'TimeoutError')),
    );
    const either = signal ? AbortSignal.any([signal, stalled.signal]) : stalled.signal;
    try {
      const response = await request(url, {
        method,
        dispatcher: this.#dispatcherFor(errand.place, url),
        // What a registry keeps elsewhere, it has signed already: nobody else is told who we are.
        headers: { 'user-agent': 'kurator', ...headers, ...(isHome && authorization ? { authorization } : {}) },
        body: outgoing(body?.(), watch),
        signal: either,
      });
      const { statusCode: status, headers: answered } = response;
      return { url, status, headers: answered, body: guarded(response.body, errand, signal) };
    } catch (cause) {
      signal?.throwIfAborted();
      throw unreachable(errand, cause, isHome ? undefined : url);
    } finally {
      watch.end();
    }
  }

  /** One for each registry and way to it: certificates that are believed for one are not believed for another. */
  #dispatcherFor({ host }: RepositoryName, url: URL): Dispatcher {
    const isRegistry = url.origin === this.urlOf({ host }).origin;
    // Also where it logs people in, or keeps its blobs, if that is named by itself.
    const name = isRegistry ? host : url.host;
    const settings = this.#options.registries[name] ?? {};
    const proxy = this.#proxyFor(url);
    const key = `${settings.ca || settings.insecure ? name : ''} ${proxy ?? ''}`;
    const known = this.#dispatchers.get(key);
    if (known) return known;
    const dispatcher = this.#dispatcher(settings, proxy);
    this.#dispatchers.set(key, dispatcher);
    return dispatcher;
  }

  /** What is on this machine is reached without one, as by all programs in Go: nobody else could find it. */
  #proxyFor(url: URL): string | undefined {
    const { http, https, except = '' } = this.#options.proxy ?? {};
    if (isLoopback(url.host) || isInRange(url, except)) return undefined;
    return url.protocol === 'https:' ? https : http;
  }

  #dispatcher({ ca, insecure = false }: RegistrySettings, proxy: string | undefined): Dispatcher {
    const { timeout, proxy: { except = '' } = {} } = this.#options;
    const tls = { ...(ca === undefined ? {} : { ca }), ...(insecure ? { rejectUnauthorized: false } : {}) };
    const common = { headersTimeout: timeout, bodyTimeout: timeout, connect: { timeout: CONNECT_TIMEOUT, ...tls } };
    if (!proxy) return new Agent(common);
    // What is not given here it takes from the environment of the process, which nobody has asked for.
    return new EnvHttpProxyAgent({
      ...common,
      requestTls: tls,
      httpProxy: proxy,
      httpsProxy: proxy,
      noProxy: except,
    });
  }
}

/** Ends what does not move: undici's own timeouts begin when all is sent. */
class Watch {
  readonly #timer: NodeJS.Timeout;

  constructor(timeout: number, onStill: () => void) {
    this.#timer = setTimeout(onStill, timeout);
    this.#timer.unref();
  }

  moved(): void {
    this.#timer.refresh();
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}

function outgoing(
  body: Readable | string | Uint8Array | undefined,
  watch: Watch,
): Readable | string | Uint8Array | null {
  if (!(body instanceof Readable)) return body ?? null;
  return Readable.from(watched(body, watch));
}

async function* watched(body: Readable, watch: Watch): AsyncGenerator<Uint8Array> {
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    watch.moved();
    yield chunk;
  }
  watch.moved();
}

/** A body whose errors are ours. */
function guarded(body: Readable, errand: Errand, signal: AbortSignal | undefined): Readable {
  // Where nobody reads it any more, an error is nobody's.
  body.on('error', () => {});
  const read = async function* (): AsyncGenerator<Uint8Array> {
    try {
      yield* body as AsyncIterable<Uint8Array>;
    } catch (cause) {
      signal?.throwIfAborted();
      throw unreachable(errand, cause);
    }
  };
  return Readable.from(read(), { objectMode: false })
    .on('error', () => {})
    .on('close', () => body.destroy());
}

/** Reads a body to its end, so that the connection can be used again; a long one is cut off. */
export async function dump(body: Readable): Promise<void> {
  let size = 0;
  try {
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      size += chunk.byteLength;
      if (size > MOST_TO_DUMP) break;
    }
  } catch {
    // It was not wanted anyway.
  }
}

/** The first value of a header. */
export function header(headers: AnswerHeaders, name: string): string | undefined {
  return headerValues(headers, name)[0];
}

export function headerValues(headers: AnswerHeaders, name: string): string[] {
  const value = headers[name];
  return value === undefined ? [] : Array.isArray(value) ? value : [value];
}
