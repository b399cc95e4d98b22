/** Reads an object to its end, over as many connections as it takes, and always the same version of it. */
import type { IncomingMessage } from 'node:http';
import { isStoreError, ObjectStoreError } from '../error.ts';
import { ContentCheck } from '../internal/content-check.ts';
import { signalOf } from '../internal/options.ts';
import { storedObject } from '../internal/stored-object.ts';
import { pause } from '../internal/waiting.ts';
import type { GetOptions, ObjectInfo, StoredObject } from '../object-store.ts';
import type { S3Connection } from './connection.ts';
import { bareEtag, expectedDigest, infoOf } from './object-headers.ts';
import { isPassing } from './refusal.ts';

/** What is read: from `at`, which moves, to `last`, included. */
interface Reading {
  readonly connection: S3Connection;
  readonly info: ObjectInfo;
  readonly check: ContentCheck;
  readonly signal: AbortSignal | undefined;
  readonly last: number;
  at: number;
  /** The answer that is being read. */
  message: IncomingMessage | undefined;
  /** Nobody reads any more: what is cut now is not made anew. */
  isClosed: boolean;
}

/** Begins to read. */
export async function readObject(connection: S3Connection, key: string, options: GetOptions): Promise<StoredObject> {
  const { start = 0, end, ifMatch, sha256 } = options;
  const signal = signalOf(options);
  const isWhole = start === 0 && end === undefined;
  const headers = {
    'x-amz-checksum-mode': 'ENABLED',
    ...(isWhole ? {} : { range: `bytes=${start}-${end ?? ''}` }),
    ...(ifMatch === undefined ? {} : { 'if-match': `"${ifMatch}"` }),
  };
  const message = await connection.open({ method: 'GET', key, headers, signal });
  const info = infoOf(key, message.headers);
  if (!isWhole) expectRange(message, key, start);
  const check = new ContentCheck(isWhole ? expectedDigest(message.headers, sha256) : undefined);
  const last = Math.min(end ?? info.size - 1, info.size - 1);
  const reading: Reading = { connection, info, check, signal, last, at: start, message, isClosed: false };
  return storedObject(info, last - start + 1, content(reading), () => {
    reading.isClosed = true;
    // A connection whose answer was read to its end is used again.
    if (!reading.message?.readableEnded) reading.message?.destroy();
  });
}

async function* content(reading: Reading): AsyncGenerator<Buffer> {
  const { connection, info, check, signal } = reading;
  let chunks: AsyncIterator<Buffer> | undefined;
  let failures = 0;
  if (reading.at > reading.last) reading.message?.resume();
  while (reading.at <= reading.last) {
    let chunk: Buffer;
    try {
      reading.message ??= await reopen(reading);
      chunks ??= reading.message[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
      chunk = await nextChunk(chunks);
    } catch (error) {
      signal?.throwIfAborted();
      failures += 1;
      const isOver = reading.isClosed || !isPassing(error) || failures > connection.retries;
      if (isOver) throw connection.explain(error, info.key);
      await pause(connection.backoff(failures, error), signal);
      reading.message = undefined;
      chunks = undefined;
      continue;
    }
    failures = 0;
    reading.at += chunk.length;
    check.update(chunk);
    yield chunk;
  }
  check.finish(`${info.key} in ${connection.location}`, info.key);
}

async function nextChunk(chunks: AsyncIterator<Buffer>): Promise<Buffer> {
  const { value, done } = await chunks.next();
  // A server that ends early without saying so is as good as one that cuts.
  if (done) throw new Error('the answer ended before its length');
  return value;
}

/** From the byte where it stopped, and only if it is still the same object. */
async function reopen({ connection, info, signal, at, last }: Reading): Promise<IncomingMessage> {
  const { key, etag } = info;
  const headers = { range: `bytes=${at}-${last}`, 'if-match': `"${etag}"` };
  const replaced = () =>
    new ObjectStoreError(
      'KUR_STORE_CHANGED',
      `${key} in ${connection.location} was replaced while it was read: read it again from its beginning.`,
      { key },
    );
  const message = await connection.open({ method: 'GET', key, headers, signal }).catch((error) => {
    throw isStoreError(error, 'KUR_STORE_CHANGED') ? replaced() : error;
  });
  expectRange(message, key, at);
  // For a server that doesn't know the condition.
  if (bareEtag(message.headers.etag) === etag) return message;
  message.destroy();
  throw replaced();
}

function expectRange(message: IncomingMessage, key: string, at: number): void {
  if (message.statusCode === 206 && message.headers['content-range']?.startsWith(`bytes ${at}-`)) return;
  message.destroy();
  throw new ObjectStoreError(
    'KUR_STORE_BAD_RESPONSE',
    `${key}: the server was asked for the bytes from ${at} on, and sends others: it does not know ranges.`,
    { key },
  );
}
