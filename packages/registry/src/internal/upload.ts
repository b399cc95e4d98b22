/** Sends a blob: not at all where the registry has it, by a word where another repository has it, else whole or in parts. */
import { Readable } from 'node:stream';
import type { Blob } from '../blob.ts';
import type { CallOptions, Connection, Question } from './connection.ts';
import { type Answer, dump, header } from './transport.ts';
import { badContent, mayPass } from './trouble.ts';

/** How a blob is sent. */
export interface PushBlobOptions extends CallOptions {
  /** Another repository of the same registry that has it: then nothing needs to be sent. */
  readonly mountFrom?: string | undefined;
  /**
   * Sends it in parts of so many bytes, each of which is held in memory, and goes on where a broken connection ended. Default: in
   * one piece. A registry that wants larger parts gets them.
   */
  readonly chunkSize?: number | undefined;
  /** Hears how many bytes are sent. */
  readonly onSent?: ((bytes: number) => void) | undefined;
}

const TYPE = 'application/octet-stream';
/** What a registry may ask for as the smallest part. */
const LARGEST_CHUNK = 256 * 1024 * 1024;
const TRIES_A_CHUNK = 4;

export async function upload(connection: Connection, blob: Blob, options: PushBlobOptions): Promise<void> {
  const { signal, mountFrom, chunkSize } = options;
  const known = await connection.ask('HEAD', connection.url(`blobs/${blob.digest}`), {
    expected: [200, 404, 405],
    signal,
  });
  await dump(known.body);
  if (known.status === 200) return;
  const begun = await begin(connection, blob, mountFrom, signal);
  if (!begun) return;
  if (chunkSize === undefined || chunkSize >= blob.size) await inOne(connection, begun.location, blob, options);
  else await inParts(connection, begun, blob, { ...options, chunkSize });
}

interface Begun {
  readonly location: URL;
  /** In bytes; the last part may be smaller. */
  readonly smallestChunk: number;
}

/** Undefined where there is nothing left to send. */
async function begin(
  connection: Connection,
  { digest }: Blob,
  mountFrom: string | undefined,
  signal: AbortSignal | undefined,
): Promise<Begun | undefined> {
  const url = connection.url('blobs/uploads/');
  const scopes = mountFrom === undefined ? [] : [`repository:${mountFrom}:pull`];
  if (mountFrom !== undefined) url.search = String(new URLSearchParams({ mount: digest, from: mountFrom }));
  const headers = { 'content-length': '0' };
  const answer = await connection.ask('POST', url, {
    expected: [201, 202],
    headers,
    actions: 'pull,push',
    scopes,
    signal,
  });
  await dump(answer.body);
  if (answer.status === 201) return undefined;
  const smallestChunk = Number(header(answer.headers, 'oci-chunk-min-length') ?? 0);
  if (!(smallestChunk <= LARGEST_CHUNK)) throw badContent(connection.place, 'an absurd OCI-Chunk-Min-Length');
  return { location: locationOf(connection, answer, url), smallestChunk };
}

async function inOne(
  connection: Connection,
  location: URL,
  blob: Blob,
  { onSent, signal }: PushBlobOptions,
): Promise<void> {
  const body = () => (onSent ? Readable.from(counted(blob.read(), onSent)) : blob.read());
  await finish(connection, location, blob, { headers: sized(blob.size), body, signal });
}

async function inParts(
  connection: Connection,
  { location, smallestChunk }: Begun,
  blob: Blob,
  { onSent, signal, chunkSize }: PushBlobOptions & { readonly chunkSize: number },
): Promise<void> {
  let at = location;
  let sent = 0;
  for await (const bytes of parts(blob.read(), Math.max(chunkSize, smallestChunk, 1))) {
    at = await sendPart(connection, at, { start: sent, bytes }, signal);
    sent += bytes.byteLength;
    onSent?.(sent);
  }
  await finish(connection, at, blob, { headers: { 'content-length': '0' }, signal });
}

/** A part of a blob, and where it begins in it. */
interface Part {
  readonly start: number;
  readonly bytes: Buffer;
}

/** Where the connection breaks, it goes on with what the registry does not have yet. */
async function sendPart(
  connection: Connection,
  location: URL,
  part: Part,
  signal: AbortSignal | undefined,
): Promise<URL> {
  let at = location;
  let { start, bytes } = part;
  for (let attempt = 1; bytes.byteLength > 0; attempt++) {
    try {
      return await patch(connection, at, { start, bytes }, signal);
    } catch (error) {
      signal?.throwIfAborted();
      if (attempt === TRIES_A_CHUNK || !mayPass(error)) throw error;
      const { received, location: next } = await progress(connection, at, signal);
      if (received < start || received > start + bytes.byteLength) throw error;
      [at, bytes, start] = [next, bytes.subarray(received - start), received];
    }
  }
  return at;
}

async function patch(
  connection: Connection,
  at: URL,
  { start, bytes }: Part,
  signal: AbortSignal | undefined,
): Promise<URL> {
  const headers = { ...sized(bytes.byteLength), 'content-range': `${start}-${start + bytes.byteLength - 1}` };
  const question: Question = { expected: [202], headers, body: () => bytes, actions: 'pull,push', signal };
  const answer = await connection.ask('PATCH', at, question);
  await dump(answer.body);
  return locationOf(connection, answer, at);
}

/** How many bytes of an upload the registry has. */
async function progress(
  connection: Connection,
  at: URL,
  signal: AbortSignal | undefined,
): Promise<{ received: number; location: URL }> {
  const question: Question = { expected: [204], actions: 'pull,push', signal };
  const state = await connection.persist(signal, () => connection.ask('GET', at, question));
  await dump(state.body);
  const end = Number(/^(?:bytes=)?0-(\d+)$/.exec(header(state.headers, 'range') ?? '')?.[1] ?? 0);
  // An empty upload is `0-0`, as one of a single byte is: that one byte is sent again at worst.
  return { received: end === 0 ? 0 : end + 1, location: locationOf(connection, state, at) };
}

async function finish(
  connection: Connection,
  location: URL,
  { digest }: Blob,
  question: Pick<Question, 'headers' | 'body' | 'signal'>,
): Promise<void> {
  const url = new URL(location);
  url.searchParams.set('digest', digest);
  const answer = await connection.ask('PUT', url, { ...question, expected: [201], actions: 'pull,push' });
  await dump(answer.body);
}

function locationOf({ place }: Connection, { headers }: Answer, asked: URL): URL {
  const location = URL.parse(header(headers, 'location') ?? '', asked.href);
  if (!location || !header(headers, 'location')) throw badContent(place, 'no place to upload to');
  if (asked.protocol === 'https:' && location.protocol !== 'https:') {
    // Behind a proxy that ends TLS, some registries write their own scheme.
    if (location.hostname !== asked.hostname)
      throw badContent(place, `a place to upload to over plain HTTP (${location.host})`);
    return new URL(`${location.pathname}${location.search}`, asked);
  }
  return location;
}

function sized(bytes: number): Record<string, string> {
  return { 'content-type': TYPE, 'content-length': String(bytes) };
}

async function* parts(content: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<Buffer> {
  let kept: Uint8Array[] = [];
  let length = 0;
  for await (let chunk of content) {
    while (length + chunk.byteLength >= size) {
      const missing = size - length;
      yield Buffer.concat([...kept, chunk.subarray(0, missing)]);
      [kept, length, chunk] = [[], 0, chunk.subarray(missing)];
    }
    if (chunk.byteLength === 0) continue;
    kept.push(chunk);
    length += chunk.byteLength;
  }
  if (length > 0) yield Buffer.concat(kept);
}

async function* counted(
  content: AsyncIterable<Uint8Array>,
  onSent: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of content) {
    bytes += chunk.byteLength;
    onSent(bytes);
    yield chunk;
  }
}
