/** Objects in a bucket of S3, or of whatever speaks like it. */
import { hash } from 'node:crypto';
import { ObjectStoreError } from '../error.ts';
import { checkKey, checkPrefix } from '../internal/key.ts';
import { checkGet, checkPut, signalOf } from '../internal/options.ts';
import type {
  Body,
  CallOptions,
  GetOptions,
  ListOptions,
  ListPage,
  ObjectInfo,
  ObjectStore,
  PendingUpload,
  PutOptions,
  StoredObject,
} from '../object-store.ts';
import { S3Connection } from './connection.ts';
import { listObjects, listUploads } from './listing.ts';
import { infoOf } from './object-headers.ts';
import { readObject } from './reading.ts';
import type { S3Options } from './s3-options.ts';
import { abortUpload, putObject } from './uploading.ts';
import { childrenOf, escapeXml, parseXml, textOf } from './xml.ts';

const DELETE_BATCH = 1000;

/** A store in a bucket that exists. Nothing is sent until something is asked for. */
export function createS3Store(options: S3Options): ObjectStore {
  return new S3Store(new S3Connection(options));
}

class S3Store implements ObjectStore {
  readonly location: string;
  readonly #connection: S3Connection;

  constructor(connection: S3Connection) {
    this.#connection = connection;
    this.location = connection.location;
  }

  async put(key: string, body: Body, options: PutOptions = {}): Promise<ObjectInfo> {
    return await putObject(this.#connection, body, checkPut(key, options));
  }

  async get(key: string, options: GetOptions = {}): Promise<StoredObject> {
    checkGet(key, options);
    return await readObject(this.#connection, key, options);
  }

  async head(key: string, options: CallOptions = {}): Promise<ObjectInfo> {
    checkKey(key);
    const request = { key, headers: { 'x-amz-checksum-mode': 'ENABLED' }, signal: signalOf(options) };
    const { headers } = await this.#connection.call({ method: 'HEAD', ...request });
    return infoOf(key, headers);
  }

  list(prefix: string, options: ListOptions = {}): AsyncIterable<ListPage> {
    checkPrefix(prefix);
    return listObjects(this.#connection, prefix, options);
  }

  async delete(key: string, options: CallOptions = {}): Promise<void> {
    checkKey(key);
    await this.#connection.call({ method: 'DELETE', key, signal: signalOf(options) }).catch((error) => {
      if (!(error instanceof ObjectStoreError && error.code === 'KUR_STORE_NOT_FOUND')) throw error;
    });
  }

  async deleteMany(keys: Iterable<string> | AsyncIterable<string>, options: CallOptions = {}): Promise<void> {
    const signal = signalOf(options);
    const failures: unknown[] = [];
    const deleteBatch = async (batch: readonly string[]) => {
      signal?.throwIfAborted();
      failures.push(...(await this.#deleteBatch(batch, signal).catch((error) => [error])));
      signal?.throwIfAborted();
    };
    let batch: string[] = [];
    for await (const key of keys) {
      checkKey(key);
      batch.push(key);
      if (batch.length < DELETE_BATCH) continue;
      await deleteBatch(batch);
      batch = [];
    }
    if (batch.length > 0) await deleteBatch(batch);
    if (failures.length > 0) throw failures[0];
  }

  /** Gives what went wrong. */
  async #deleteBatch(keys: readonly string[], signal: AbortSignal | undefined): Promise<unknown[]> {
    const items = keys.map((key) => `<Object><Key>${escapeXml(key)}</Key></Object>`).join('');
    const body = Buffer.from(`<Delete><Quiet>true</Quiet>${items}</Delete>`);
    // A digest is demanded; older servers know only the first of the two.
    const headers = {
      'content-type': 'application/xml',
      'content-md5': hash('md5', body, 'base64'),
      'x-amz-checksum-sha256': hash('sha256', body, 'base64'),
    };
    const answer = await this.#connection.call({ method: 'POST', query: { delete: '' }, headers, body, signal });
    const failed = childrenOf(parseXml(answer.body, 'DeleteResult'), 'Error').map(
      (error) => textOf(error, 'Key') ?? '',
    );
    // One by one: that has retries, and errors that say what is wrong.
    const results = await Promise.allSettled(failed.map((key) => this.delete(key, signal ? { signal } : {})));
    return results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  }

  listUploads(prefix: string, options: CallOptions = {}): AsyncIterable<PendingUpload> {
    checkPrefix(prefix);
    return listUploads(this.#connection, prefix, options);
  }

  async abortUpload(upload: PendingUpload, options: CallOptions = {}): Promise<void> {
    checkKey(upload.key);
    await abortUpload(this.#connection, upload, signalOf(options));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#connection.close();
  }
}
