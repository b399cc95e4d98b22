/**
 * Sends signed requests to one bucket, again where that may help. Everything that is sent twice does what it does once, or
 * has a condition: see uploading.ts for the answers that are lost.
 */
import { hash } from 'node:crypto';
import { Agent as HttpAgent, type IncomingHttpHeaders, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { ObjectStoreError } from '../error.ts';
import { pause } from '../internal/waiting.ts';
import { CredentialsHolder } from './credentials.ts';
import { explain, isPassing, Refusal, Stalled } from './refusal.ts';
import { addressOf, checkS3Options, type S3Options } from './s3-options.ts';
import { amzDate, authorization, encodePath, queryString } from './signature.ts';

/** One request, and what came of its earlier tries. */
export interface S3Request {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  readonly key?: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Names in small letters. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** That of the body in hex, if it is known already. */
  readonly sha256?: string;
  readonly signal?: AbortSignal | undefined;
  /** Answers that count as passing besides the usual ones. */
  readonly passing?: readonly string[];
  /** Set when a try got no answer, or none that says what was done: the server may have done it. */
  isUncertain?: boolean;
}

/** An answer that has been read. */
export interface S3Answer {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const EMPTY = hash('sha256', '', 'hex');
const NOTHING = new Uint8Array(0);
/** A page of a thousand keys of a kilobyte, encoded and with all that is said of them. */
const ANSWER_LIMIT = 16 * 2 ** 20;
/**
 * Until an answer to what was sent begins, and to read it: also what trickles must end. Sending, and what the caller reads, may
 * take as long as something moves.
 */
const ANSWER_TIMEOUT = 5 * 60_000;
const BACKOFF = { first: 100, most: 10_000, mostAsked: 60_000 };
/** What servers of S3 accept is 15 minutes. */
const SKEW_LIMIT = 5 * 60_000;
const MAX_SOCKETS = 64;

/** A bucket's end of the wire. */
export class S3Connection {
  readonly location: string;
  readonly retries: number;
  readonly #options: Omit<S3Options, 'credentials'>;
  readonly #credentials: CredentialsHolder;
  readonly #agent: HttpAgent;
  readonly #idleTimeout: number;
  #region: string;
  /** The server's clock less ours. */
  #skew = 0;

  constructor({ credentials, ...options }: S3Options) {
    checkS3Options({ credentials, ...options });
    this.#options = options;
    this.#credentials = new CredentialsHolder(credentials);
    this.#region = options.region ?? 'us-east-1';
    this.retries = options.retries ?? 5;
    this.#idleTimeout = options.idleTimeout ?? 30_000;
    const { isTls } = this.#address();
    const pool = { keepAlive: true, maxSockets: MAX_SOCKETS };
    const { ca } = options;
    this.#agent =
      options.agent ?? (isTls ? new HttpsAgent(ca === undefined ? pool : { ...pool, ca }) : new HttpAgent(pool));
    const endpoint = options.endpoint === undefined ? `AWS, ${this.#region}` : String(options.endpoint);
    this.location = `s3://${options.bucket} at ${endpoint}`;
  }

  /** Sends it until it succeeds, and reads the answer. */
  async call(request: S3Request): Promise<S3Answer> {
    return await this.#retrying(request, async (message) => await readAnswer(message));
  }

  /** Sends it until an answer begins, and leaves the reading to the caller. */
  async open(request: S3Request): Promise<IncomingMessage> {
    return await this.#retrying(request, async (message) => message);
  }

  /** How long to wait before try number `tries` + 1. */
  backoff(tries: number, error: unknown): number {
    const asked = error instanceof Refusal ? error.retryAfter : undefined;
    if (asked !== undefined) return Math.min(asked, BACKOFF.mostAsked);
    // Not all at the same time, when many were cut off at the same time.
    return Math.random() * Math.min(BACKOFF.most, BACKOFF.first * 2 ** tries);
  }

  /** What a person is told about it. */
  explain(error: unknown, key: string | undefined): unknown {
    return explain(error, key === undefined ? this.location : `${key} in ${this.location}`, key);
  }

  close(): void {
    if (!this.#options.agent) this.#agent.destroy();
  }

  async #retrying<T>(request: S3Request, take: (message: IncomingMessage) => Promise<T>): Promise<T> {
    let isAdjusted = false;
    for (let tries = 1; ; tries += 1) {
      request.signal?.throwIfAborted();
      try {
        return await take(await this.#exchange(request));
      } catch (error) {
        request.signal?.throwIfAborted();
        const isNowRight: boolean = !isAdjusted && error instanceof Refusal && this.#adjust(error);
        isAdjusted ||= isNowRight;
        if (!isNowRight) await this.#beforeNextTry(request, tries, error);
      }
    }
  }

  /** Waits, if another try is worth it, or throws. */
  async #beforeNextTry(request: S3Request, tries: number, error: unknown): Promise<void> {
    const isRefusal = error instanceof Refusal;
    if (!isRefusal || error.status >= 500) request.isUncertain = true;
    const isWorthIt = isPassing(error) || (isRefusal && request.passing?.includes(error.reason));
    if (!isWorthIt || tries > this.retries) throw this.explain(error, request.key);
    await pause(this.backoff(tries, error), request.signal);
  }

  /** Takes over the server's clock, or the bucket's region, and says whether that changed something. */
  #adjust({ reason, status, date, region }: Refusal): boolean {
    const skew = date === undefined ? 0 : date.getTime() - Date.now();
    // An answer to HEAD has no reason in it.
    const isSkewed = reason === 'RequestTimeTooSkewed' || (status === 403 && Math.abs(skew - this.#skew) > SKEW_LIMIT);
    if (isSkewed && Math.abs(skew - this.#skew) > 1000) {
      this.#skew = skew;
      return true;
    }
    const isElsewhere = [301, 307, 400, 403].includes(status) && region !== undefined && region !== this.#region;
    // It becomes part of a host's name.
    if (!isElsewhere || !/^[a-z0-9-]{1,40}$/.test(region)) return false;
    this.#region = region;
    return true;
  }

  #address() {
    return addressOf({ ...this.#options, credentials: () => this.#credentials.get() }, this.#region);
  }

  async #exchange(request: S3Request): Promise<IncomingMessage> {
    const { isTls, hostname, port, host, base } = this.#address();
    const { method, query = {}, body = NOTHING, signal } = request;
    const credentials = await this.#credentials.get();
    const path = request.key === undefined ? base || '/' : `${base}/${encodePath(request.key)}`;
    const payload = request.sha256 ?? (body.length === 0 ? EMPTY : hash('sha256', body, 'hex'));
    const date = new Date(Date.now() + this.#skew);
    const signed: Record<string, string> = {
      ...request.headers,
      host,
      'x-amz-content-sha256': payload,
      'x-amz-date': amzDate(date),
      ...(credentials.sessionToken === undefined ? {} : { 'x-amz-security-token': credentials.sessionToken }),
    };
    const scope = { credentials, region: this.#region, service: 's3', date };
    const hasBody = method === 'PUT' || method === 'POST';
    const headers = {
      ...signed,
      authorization: authorization({ method, path, query, headers: signed, payload }, scope),
      ...(hasBody ? { 'content-length': String(body.length) } : {}),
    };
    const search = queryString(query);
    const target = search === '' ? path : `${path}?${search}`;
    const message = await new Promise<IncomingMessage>((resolve, reject) => {
      const send = isTls ? requestHttps : requestHttp;
      const options = { hostname, port, method, path: target, headers, agent: this.#agent };
      const outgoing = send(signal ? { ...options, signal } : options);
      let limit: NodeJS.Timeout | undefined;
      outgoing.setTimeout(this.#idleTimeout, () =>
        outgoing.destroy(new Stalled(`nothing moved for ${this.#idleTimeout} ms`)),
      );
      outgoing.on('finish', () => {
        const stop = () => outgoing.destroy(new Stalled(`no answer in ${ANSWER_TIMEOUT} ms`));
        limit = setTimeout(stop, ANSWER_TIMEOUT);
      });
      outgoing.on('error', reject);
      outgoing.on('close', () => clearTimeout(limit));
      outgoing.on('response', (response) => {
        clearTimeout(limit);
        // Whoever reads it hears of it; nobody may be reading.
        response.on('error', () => undefined);
        resolve(response);
      });
      outgoing.end(body);
    });
    const { statusCode: status = 0 } = message;
    if (status >= 200 && status < 300) return message;
    throw new Refusal(status, message.headers, await readText(message));
  }
}

async function readAnswer(message: IncomingMessage): Promise<S3Answer> {
  const body = await readText(message);
  // What takes S3 long it begins to answer with 200, before it knows whether it will succeed.
  if (/^\s*(<\?xml[^>]*\?>)?\s*<Error[\s>]/.test(body)) {
    const refusal = new Refusal(200, message.headers, body);
    const status = { InternalError: 500, SlowDown: 503, PreconditionFailed: 412 }[refusal.reason] ?? 400;
    throw new Refusal(status, message.headers, body);
  }
  return { headers: message.headers, body };
}

async function readText(message: IncomingMessage): Promise<string> {
  const stop = () => message.destroy(new Stalled(`no whole answer in ${ANSWER_TIMEOUT} ms`));
  const limit = setTimeout(stop, ANSWER_TIMEOUT);
  try {
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of message) {
      size += chunk.length;
      if (size > ANSWER_LIMIT) throw tooLong();
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString();
  } finally {
    clearTimeout(limit);
  }
}

function tooLong(): ObjectStoreError {
  return new ObjectStoreError('KUR_STORE_BAD_RESPONSE', `The answer has more than ${ANSWER_LIMIT} bytes: is this S3?`);
}
