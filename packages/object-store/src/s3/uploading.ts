/**
 * Puts an object: in one request, or in parts. Every object says in its metadata which call of `put` it is from, so that a
 * writer whose answer was lost knows its own again.
 */
import { hash } from 'node:crypto';
import { isStoreError, ObjectStoreError } from '../error.ts';
import type { CheckedPut } from '../internal/options.ts';
import { type Part, Parts } from '../internal/parts.ts';
import { conditionFails, expectDigest, isFinal } from '../internal/put-refusals.ts';
import { inParallel } from '../internal/waiting.ts';
import type { Body, ObjectInfo, PendingUpload } from '../object-store.ts';
import type { S3Connection, S3Request } from './connection.ts';
import { listParts, listUploads, type UploadedPart } from './listing.ts';
import { bareEtag, conditionOf, headersOf, infoOf, writeIdOf } from './object-headers.ts';
import { escapeXml, parseXml, textOf } from './xml.ts';

/** S3's highest numbers. They are never parts of an object: they are where an upload says whose it is, and what it began with. */
const OWNER_PART = 10_000;
const BEGINNING_PART = OWNER_PART - 1;
const ABORT_TIMEOUT = 10_000;
/** Somebody else was at the same key in the same moment: what came of it the next try will tell. */
const CONFLICT = 'ConditionalRequestConflict';

/** What a finished part is called when the upload is completed. */
interface DonePart {
  readonly number: number;
  readonly etag: string;
  /** In base64. */
  readonly sha256: string;
}

/** Puts it, in as many requests as its size asks for. */
export async function putObject(connection: S3Connection, body: Body, put: CheckedPut): Promise<ObjectInfo> {
  const parts = new Parts(body, put.partSize);
  try {
    const first = await parts.next(put.signal);
    if (!first) throw new Error('a body has at least one part');
    return first.isLast ? await putWhole(connection, first, put) : await new Upload(connection, put, parts).run(first);
  } finally {
    parts.close();
  }
}

async function putWhole(connection: S3Connection, { bytes, sha256 }: Part, put: CheckedPut): Promise<ObjectInfo> {
  expectDigest(put, sha256);
  const { key, metadata, signal } = put;
  const request: S3Request = {
    method: 'PUT',
    key,
    body: bytes,
    sha256,
    signal,
    headers: { ...headersOf(put, sha256, false), ...conditionOf(put), 'x-amz-checksum-sha256': base64(sha256) },
    passing: [CONFLICT],
  };
  try {
    const { headers } = await connection.call(request);
    const lastModified = new Date(headers.date ?? Date.now());
    return { key, size: bytes.length, etag: bareEtag(headers.etag), lastModified, sha256, metadata };
  } catch (error) {
    return await ownOrRefused(connection, put, error, request.isUncertain === true);
  }
}

/** After a refusal: our own object, put by a try whose answer was lost; or else an error that says what is known. */
async function ownOrRefused(
  connection: S3Connection,
  put: CheckedPut,
  error: unknown,
  isUncertain: boolean,
): Promise<ObjectInfo> {
  if (!isConditionRefused(put, error)) throw error;
  const mayBeOurs = isUncertain || put.token !== undefined;
  const found = mayBeOurs ? await findOwn(connection, put) : undefined;
  if (found) return found;
  const { key } = put;
  const where = `${key} in ${connection.location}`;
  const details = { key, status: error.status, reason: error.reason };
  if (isUncertain)
    throw new ObjectStoreError(
      'KUR_STORE_UNCERTAIN',
      `${where}: an answer was lost, and the object is not ours now: it was never put, or it has been replaced. Look at it.`,
      details,
    );
  // Nobody has said yet that there is an object, or another one.
  if (error.reason === CONFLICT) throw error;
  throw conditionFails(put, connection.location, details);
}

function isConditionRefused({ ifAbsent, ifMatch }: CheckedPut, error: unknown): error is ObjectStoreError {
  if (!ifAbsent && ifMatch === undefined) return false;
  // There being none is one way of not matching.
  return isStoreError(error, 'KUR_STORE_CHANGED', 'KUR_STORE_NOT_FOUND');
}

async function findOwn(
  connection: S3Connection,
  { key, writeId, signal }: CheckedPut,
): Promise<ObjectInfo | undefined> {
  const { headers } = await findObject(connection, key, signal);
  return headers && writeIdOf(headers) === writeId ? infoOf(key, headers) : undefined;
}

async function findObject(connection: S3Connection, key: string, signal: AbortSignal | undefined) {
  try {
    return await connection.call({ method: 'HEAD', key, headers: { 'x-amz-checksum-mode': 'ENABLED' }, signal });
  } catch (error) {
    if (isStoreError(error, 'KUR_STORE_NOT_FOUND')) return { headers: undefined };
    throw error;
  }
}

/** One object in parts. */
class Upload {
  readonly #connection: S3Connection;
  readonly #put: CheckedPut;
  readonly #parts: Parts;
  readonly #done: DonePart[] = [];

  constructor(connection: S3Connection, put: CheckedPut, parts: Parts) {
    this.#connection = connection;
    this.#put = put;
    this.#parts = parts;
  }

  async run(first: Part): Promise<ObjectInfo> {
    const finished = await this.#lookBefore();
    if (finished) return finished;
    const upload = (await this.#findUpload()) ?? (await this.#begin());
    try {
      await this.#send(upload, first);
      const { sha256 = '' } = this.#parts;
      expectDigest(this.#put, sha256);
      return await this.#complete(upload, sha256);
    } catch (error) {
      // With a token the next try continues, unless there is nothing that it could continue to.
      if (this.#put.token === undefined || isFinal(error)) await this.#giveUp(upload);
      throw error;
    }
  }

  /** What would be refused in the end is refused before gigabytes are sent; what was finished is not sent again. */
  async #lookBefore(): Promise<ObjectInfo | undefined> {
    const { key, ifAbsent, ifMatch, token, writeId, signal } = this.#put;
    if (!ifAbsent && ifMatch === undefined && token === undefined) return undefined;
    const { headers } = await findObject(this.#connection, key, signal);
    if (headers && token !== undefined && writeIdOf(headers) === writeId) return infoOf(key, headers);
    const isRefused = ifAbsent ? headers !== undefined : ifMatch !== undefined && bareEtag(headers?.etag) !== ifMatch;
    if (!isRefused) return undefined;
    throw conditionFails(this.#put, this.#connection.location);
  }

  async #begin(): Promise<PendingUpload> {
    const { key, sha256, token, signal } = this.#put;
    const headers = {
      ...headersOf(this.#put, sha256, true),
      'x-amz-checksum-algorithm': 'SHA256',
      'x-amz-checksum-type': 'COMPOSITE',
    };
    const { body } = await this.#connection.call({ method: 'POST', key, query: { uploads: '' }, headers, signal });
    const id = textOf(parseXml(body, 'InitiateMultipartUploadResult'), 'UploadId');
    if (!id) throw new ObjectStoreError('KUR_STORE_BAD_RESPONSE', `${key}: the server gave no UploadId.`, { key });
    const upload = { key, id, startedAt: new Date() };
    if (token !== undefined) {
      // The owner last: an upload that is known as ours also says what it began with.
      await this.#sendPart(upload, BEGINNING_PART, this.#beginning(), undefined, signal);
      await this.#sendPart(upload, OWNER_PART, this.#owner(), undefined, signal);
    }
    return upload;
  }

  #owner(): Buffer {
    return Buffer.from(`kurator upload ${this.#put.writeId}`);
  }

  /** What the object will say of itself, and the server has been told when the upload began. */
  #beginning(): Buffer {
    const { partSize, sha256, metadata } = this.#put;
    const sorted = Object.entries(metadata).sort(([a], [b]) => (a < b ? -1 : 1));
    return Buffer.from(JSON.stringify({ partSize, sha256, metadata: sorted }));
  }

  /**
   * The upload that an earlier process began with the same token. One that it began with parts of another size, or to become
   * an object of another digest or other metadata, can't become this one any more: nobody could read it. It is aborted.
   */
  async #findUpload(): Promise<PendingUpload | undefined> {
    const { key, token, signal } = this.#put;
    if (token === undefined) return undefined;
    for await (const upload of listUploads(this.#connection, key, { signal })) {
      if (upload.key !== key) continue;
      const { isOurs, isFitting } = await this.#readMarkers(upload);
      if (isOurs && isFitting) return upload;
      if (isOurs) await abortUpload(this.#connection, upload, signal);
    }
    return undefined;
  }

  async #readMarkers(upload: PendingUpload): Promise<{ isOurs: boolean; isFitting: boolean }> {
    const found = new Map<number, UploadedPart>();
    try {
      for await (const part of listParts(this.#connection, upload, BEGINNING_PART - 1, this.#put.signal))
        found.set(part.number, part);
    } catch (error) {
      // Finished or aborted since it was listed.
      if (!isStoreError(error) || error.status !== 404) throw error;
    }
    const says = (number: number, marker: Buffer) => {
      const part = found.get(number);
      return part !== undefined && isSame(part, marker, hash('sha256', marker, 'hex'));
    };
    return { isOurs: says(OWNER_PART, this.#owner()), isFitting: says(BEGINNING_PART, this.#beginning()) };
  }

  async #send(upload: PendingUpload, first: Part): Promise<void> {
    const { token, parallel, signal } = this.#put;
    const there = new Map<number, UploadedPart>();
    if (token !== undefined)
      for await (const part of listParts(this.#connection, upload, 0, signal)) there.set(part.number, part);
    let next: Part | undefined = first;
    const source = async (until: AbortSignal) => {
      const part = next ?? (await this.#parts.next(until));
      next = undefined;
      return part;
    };
    await inParallel(source, parallel, signal, async (part, until) => {
      const { number, bytes, sha256 } = part;
      if (number >= BEGINNING_PART) throw tooManyParts(this.#put);
      const present = there.get(number);
      const isThere = present !== undefined && isSame(present, bytes, sha256);
      const etag = isThere ? present.etag : await this.#sendPart(upload, number, bytes, sha256, until);
      this.#done.push({ number, etag, sha256: base64(sha256) });
    });
  }

  async #sendPart(
    { key, id }: PendingUpload,
    number: number,
    body: Uint8Array,
    known: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<string> {
    const sha256 = known ?? hash('sha256', body, 'hex');
    const query = { partNumber: String(number), uploadId: id };
    const headers = { 'x-amz-checksum-sha256': base64(sha256) };
    const answer = await this.#connection.call({ method: 'PUT', key, query, headers, body, sha256, signal });
    return bareEtag(answer.headers.etag);
  }

  async #complete({ id }: PendingUpload, sha256: string): Promise<ObjectInfo> {
    const { key, metadata, signal } = this.#put;
    const parts = this.#done.sort((a, b) => a.number - b.number).map(partXml);
    const body = Buffer.from(`<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`);
    const headers = { 'content-type': 'application/xml', ...conditionOf(this.#put) };
    const query = { uploadId: id };
    const request: S3Request = { method: 'POST', key, query, headers, body, signal, passing: [CONFLICT] };
    try {
      const answer = await this.#connection.call(request);
      const etag = bareEtag(textOf(parseXml(answer.body, 'CompleteMultipartUploadResult'), 'ETag'));
      const lastModified = new Date(answer.headers.date ?? Date.now());
      return { key, size: this.#parts.size, etag, lastModified, sha256, metadata };
    } catch (error) {
      // Done by a try whose answer was lost, or by another process with the same token.
      const own =
        isStoreError(error) && error.reason === 'NoSuchUpload' && (await findOwn(this.#connection, this.#put));
      if (own) return { ...own, sha256 };
      return await ownOrRefused(this.#connection, this.#put, error, request.isUncertain === true);
    }
  }

  /** As well as it can: what remains is found by `listUploads`. */
  async #giveUp(upload: PendingUpload): Promise<void> {
    const signal = AbortSignal.timeout(ABORT_TIMEOUT);
    await abortUpload(this.#connection, upload, signal).catch(() => undefined);
  }
}

/** Frees what an upload takes. */
export async function abortUpload(
  connection: S3Connection,
  { key, id }: PendingUpload,
  signal: AbortSignal | undefined,
): Promise<void> {
  try {
    await connection.call({ method: 'DELETE', key, query: { uploadId: id }, signal });
  } catch (error) {
    if (!isStoreError(error) || error.reason !== 'NoSuchUpload') throw error;
  }
}

function partXml({ number, etag, sha256 }: DonePart): string {
  const quoted = escapeXml(`"${etag}"`);
  return `<Part><PartNumber>${number}</PartNumber><ETag>${quoted}</ETag><ChecksumSHA256>${sha256}</ChecksumSHA256></Part>`;
}

/** Whether the server has this part already: by the digest that it keeps, or else by the MD5 that the ETag of a part is. */
function isSame(present: UploadedPart, bytes: Uint8Array, sha256: string): boolean {
  if (present.size !== bytes.length) return false;
  return present.sha256 === undefined ? present.etag === hash('md5', bytes, 'hex') : present.sha256 === base64(sha256);
}

function tooManyParts({ key, partSize }: CheckedPut): ObjectStoreError {
  return new ObjectStoreError(
    'KUR_STORE_TOO_LARGE',
    `${key} has more than ${BEGINNING_PART - 1} parts of ${partSize} bytes: choose a larger partSize.`,
    { key },
  );
}

function base64(hex: string): string {
  return Buffer.from(hex, 'hex').toString('base64');
}
