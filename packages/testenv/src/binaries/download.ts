/**
 * Fetches one file over HTTP(S): through the proxy that the environment names, again where a connection breaks (from the
 * byte where it broke), and only to be believed once its SHA-256 sum is the published one.
 */
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Dispatcher, EnvHttpProxyAgent, fetch, type Response } from 'undici';
import { TestenvError } from '../error.ts';
import { requireSpace } from '../internal/disk-space.ts';
import { attemptsFor, HttpStatusError, nameTrouble } from './download-trouble.ts';

/** How files are fetched. */
export interface DownloadOptions {
  dispatcher: Dispatcher;
  signal?: AbortSignal | undefined;
  /** Bytes so far and in all, where the server says how many there are. */
  onProgress?: ((received: number, total: number | undefined) => void) | undefined;
  /** Milliseconds before the second attempt, doubled for each further one; 300 unless told. */
  pause?: number | undefined;
}

const CONNECT_TIMEOUT = 10_000;
const STALL_TIMEOUT = 30_000;

/** A dispatcher that goes through HTTP_PROXY, HTTPS_PROXY and NO_PROXY of `env`; the caller destroys it. */
export function proxyDispatcher(env: NodeJS.ProcessEnv): Dispatcher {
  const setting = (name: string) => env[name.toLowerCase()] || env[name] || '';
  return new EnvHttpProxyAgent({
    httpProxy: setting('HTTP_PROXY'),
    httpsProxy: setting('HTTPS_PROXY'),
    noProxy: setting('NO_PROXY'),
    connect: { timeout: CONNECT_TIMEOUT },
    headersTimeout: STALL_TIMEOUT,
    bodyTimeout: STALL_TIMEOUT,
  });
}

/** A small text, such as a list of checksums. */
export async function fetchText(url: string, options: DownloadOptions): Promise<string> {
  return await persistently(url, options, async () => {
    const response = await get(url, options);
    return await response.text();
  });
}

/** Fetches a file to a path whose folder exists; what does not have the expected sum is not left there. */
export async function fetchFile(url: string, sha256: string, path: string, options: DownloadOptions): Promise<void> {
  try {
    if (await fetchOnce(url, sha256, path, options)) return;
    // One flipped byte on the way would do that, so there is one more try from the beginning.
    if (await fetchOnce(url, sha256, path, options)) return;
    throw checksumMismatch(url, sha256);
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
}

/** Whether the file arrived as published; if not, it is removed. */
async function fetchOnce(url: string, sha256: string, path: string, options: DownloadOptions): Promise<boolean> {
  await persistently(url, options, () => fetchRest(url, path, options));
  if ((await sha256Of(path)) === sha256) return true;
  await rm(path);
  return false;
}

/** Goes on where an earlier attempt broke off, if the server can. */
async function fetchRest(url: string, path: string, options: DownloadOptions): Promise<void> {
  const have = (await stat(path).catch(() => undefined))?.size ?? 0;
  const response = await get(url, options, have > 0 ? { range: `bytes=${have}-` } : {}).catch(async (error) => {
    if (error instanceof HttpStatusError && error.status === 416) await rm(path, { force: true });
    throw error;
  });
  const start = response.status === 206 ? rangeStart(response) : 0;
  if (start !== 0 && start !== have) throw new Error(`the server continued at byte ${start} instead of ${have}`);
  const length = response.headers.get('content-length');
  const total = length === null ? undefined : start + Number(length);
  await requireSpace(`The download of ${url}`, [{ folder: dirname(path), bytes: (total ?? 0) - start }]);
  await pipeline(
    response.body ?? [],
    counter(start, (received) => options.onProgress?.(received, total)),
    createWriteStream(path, { flags: start === 0 ? 'w' : 'a' }),
    options.signal ? { signal: options.signal } : {},
  );
}

async function get(url: string, options: DownloadOptions, headers: Record<string, string> = {}): Promise<Response> {
  const { dispatcher, signal = null } = options;
  // Sums are of the files as published: nothing on the way may compress them.
  const response = await fetch(url, { dispatcher, signal, headers: { ...headers, 'accept-encoding': 'identity' } });
  if (response.ok) return response;
  await response.body?.cancel();
  throw new HttpStatusError(url, response.status);
}

async function persistently<T>(url: string, options: DownloadOptions, attempt: () => Promise<T>): Promise<T> {
  const { signal, pause = 300 } = options;
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      signal?.throwIfAborted();
      if (tries >= attemptsFor(error)) throw nameTrouble(error, url, tries);
    }
    await sleep(pause * 2 ** (tries - 1), undefined, signal ? { signal } : {});
  }
}

function checksumMismatch(url: string, expected: string): TestenvError {
  return new TestenvError('KUR_TESTENV_CHECKSUM', `${url} does not have its published SHA-256 sum, ${expected}.`, {
    remedy: 'Something changes files on the way: check the proxy or mirror in use.',
  });
}

function rangeStart(response: Response): number {
  return Number(/^bytes (\d+)-/.exec(response.headers.get('content-range') ?? '')?.[1] ?? 0);
}

function counter(start: number, report: (received: number) => void): Transform {
  let received = start;
  return new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      received += chunk.length;
      report(received);
      done(null, chunk);
    },
  });
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
