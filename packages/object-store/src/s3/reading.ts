/** Reads an object to its end, over as many connections as it takes, and always the same version of it. */
import type { IncomingMessage } from 'node:http';
import { ObjectStoreError } from '../error.ts';
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
  const reading: Reading = { connection, info, check, signal, last, at: start, isClosed: false };
  return storedObject(info, last - start + 1, content(reading, message), () => {
    reading.isClosed = true;
    // A connection whose answer was read to its end is used again.
    if (!message.readableEnded) message.destroy();
  });
}

async function* content(reading: Reading, first: IncomingMessage): AsyncGenerator<Buffer> {
  const { connection, info, check, signal } = reading;
  let failures = 0;
  let message: IncomingMessage | undefined = first;
  if (reading.at > reading.last) first.resume();
  while (reading.at <= reading.last) {
    const before = reading.at;
    try {
      message ??= await reopen(reading);
      for await (const chunk of message) {
        reading.at += chunk.length;
        check.update(chunk);
        yield chunk;
      }
      // A server that ends early without saying so is as good as one that cuts.
      if (reading.at <= reading.last) throw new Error('the answer ended before its length');
    } catch (error) {
      signal?.throwIfAborted();
      failures = reading.at > before ? 1 : failures + 1;
      if (reading.isClosed || !isPassing(error) || failures > connection.retries)
        throw connection.explain(error, info.key);
      await pause(connection.backoff(failures, error), signal);
    }
    message = undefined;
  }
  check.finish(`${info.key} in ${connection.location}`, info.key);
}

/** From the byte where it stopped, and only if it is still the same object. */
async function reopen({ connection, info, signal, at, last }: Reading): Promise<IncomingMessage> {
  const { key, etag } = info;
  const headers = { range: `bytes=${at}-${last}`, 'if-match': `"${etag}"` };
  const message = await connection.open({ method: 'GET', key, headers, signal });
  expectRange(message, key, at);
  // For a server that doesn't know the condition.
  if (bareEtag(message.headers.etag) !== etag) {
    message.destroy();
    throw new ObjectStoreError(
      'KUR_STORE_CHANGED',
      `${key} in ${connection.location} was replaced while it was read: read it again from its beginning.`,
      { key },
    );
  }
  return message;
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
