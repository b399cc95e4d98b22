/** Asks one repository: logs in when the registry wants to know, waits its turn, tries again what may pass. */
import { setTimeout as delay } from 'node:timers/promises';
import { RegistryError } from '../error.ts';
import type { RepositoryName } from '../image-name.ts';
import { readText } from './body.ts';
import type { LogIn, LogIns } from './log-ins.ts';
import { type Answer, dump, type Method, type Outgoing, type Transport } from './transport.ts';
import { mayPass, rateLimited, refusal } from './trouble.ts';

/** What every call takes. */
export interface CallOptions {
  /** Ends the call with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** What is asked. */
export interface Question extends CallOptions, Pick<Outgoing, 'headers' | 'body'> {
  readonly expected: readonly number[];
  readonly actions?: 'pull' | 'pull,push' | undefined;
  /** Further scopes that a log-in needs. */
  readonly scopes?: readonly string[];
}

export interface ConnectionOptions {
  readonly transport: Transport;
  readonly logIns: LogIns;
  readonly place: RepositoryName;
  /** How long a call may wait for a registry that wants to be left alone, and before it tries again, in milliseconds. */
  readonly patience: number;
}

const TRIES = 4;
const FIRST_PAUSE = 300;
const LONGEST_REFUSAL = 16 * 1024;

export class Connection {
  readonly #options: ConnectionOptions;

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  get place(): RepositoryName {
    return this.#options.place;
  }

  /** Below the repository: `blobs/sha256:…`. */
  url(path: string): URL {
    const { transport, place } = this.#options;
    return new URL(`/v2/${place.repository}/${path}`, transport.urlOf(place));
  }

  /** One question, answered as expected or with an error. The body of the answer must be read, or destroyed. */
  async ask(method: Method, url: URL, question: Question): Promise<Answer> {
    const { transport, logIns, place } = this.#options;
    const { expected, actions = 'pull', scopes = [], headers = {}, body, signal } = question;
    const errand = { place, what: `${method} ${shortPath(url, place)}` };
    const access = { place, scopes: [`repository:${place.repository}:${actions}`, ...scopes] };
    const isHome = url.origin === transport.urlOf(place).origin;
    signal?.throwIfAborted();
    await this.#turn(url, signal);
    const send = (logIn: LogIn | undefined) =>
      transport.send({
        errand,
        method,
        url,
        headers,
        body,
        signal,
        authorization: isHome ? logIn?.authorization : undefined,
      });
    let logIn = await unlessAborted(logIns.known(access), signal);
    let answer = await send(logIn);
    if (answer.status === 401 && isHome) {
      const better = await unlessAborted(logIns.answer(access, answer.headers, logIn), signal);
      if (better) {
        await dump(answer.body);
        logIn = better;
        answer = await send(logIn);
      }
    }
    if (expected.includes(answer.status)) return answer;
    const text = without(logIn?.secrets ?? [], await readText(answer.body, LONGEST_REFUSAL));
    const { retryAt } = transport.budgetOf(answer.url);
    const isRead = method === 'GET' || method === 'HEAD';
    throw refusal(errand, { status: answer.status, text, retryAt, isRead, isKnown: logIn?.isKnown ?? false });
  }

  /** Does something again that may be done twice, as long as what went wrong may pass. */
  async persist<T>(signal: AbortSignal | undefined, act: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await act();
      } catch (error) {
        signal?.throwIfAborted();
        if (attempt === TRIES) throw error;
        const wait = this.#waitAfter(error, attempt);
        if (wait === undefined) throw error;
        await pause(wait, signal);
      }
    }
  }

  /** In milliseconds. Undefined where trying again is of no use, or would have to wait for too long. */
  #waitAfter(error: unknown, attempt: number): number | undefined {
    const { patience } = this.#options;
    const { retryAt } = error instanceof RegistryError ? error : {};
    // Whoever wants to be left alone may be another than the registry: where it logs people in, or leads to.
    const rest = retryAt && retryAt.getTime() - Date.now();
    if (rest !== undefined && rest <= patience) return rest;
    return mayPass(error) ? Math.min(FIRST_PAUSE * 2 ** attempt, patience) : undefined;
  }

  /** A host that wants to be left alone is: briefly by waiting, else by an error that says until when. */
  async #turn(url: URL, signal: AbortSignal | undefined): Promise<void> {
    const { transport, place, patience } = this.#options;
    const { retryAt } = transport.budgetOf(url);
    if (!retryAt) return;
    const wait = retryAt.getTime() - Date.now();
    if (wait > patience) throw rateLimited(place, retryAt);
    await pause(wait, signal);
  }
}

/** The reason of a signal, and not Node's wrapping of it. */
async function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  await delay(Math.max(milliseconds, 0), undefined, signal ? { signal } : {}).catch((error) => {
    signal?.throwIfAborted();
    throw error;
  });
}

/** A log-in is for everybody who waits for it: one who leaves does not end it. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return await work;
  signal.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** A registry may quote what it was sent. */
function without(secrets: readonly string[], text: string): string {
  return secrets.filter((secret) => secret !== '').reduce((rest, secret) => rest.replaceAll(secret, '…'), text);
}

/** Never the query: what a registry signs is in there. */
function shortPath({ pathname }: URL, { repository }: RepositoryName): string {
  const start = `/v2/${repository}/`;
  const path = pathname.startsWith(start) ? pathname.slice(start.length) : pathname;
  // The rest of it is an upload's secret.
  return path.replace(/^(blobs\/uploads\/).+/, '$1…').slice(0, 160);
}
