/** Looks at what callers give before anything is sent. */
import { createHash, randomUUID } from 'node:crypto';
import { ObjectStoreError } from '../error.ts';
import type { CallOptions, GetOptions, ListOptions, PutOptions } from '../object-store.ts';
import { checkKey } from './key.ts';

const MiB = 2 ** 20;
const DEFAULT_PART_SIZE = 8 * MiB;
const DEFAULT_PARALLEL = 4;
/** S3's own limits. Below the least a server refuses all parts but the last. */
const PART_SIZES = { least: 5 * MiB, most: 512 * MiB };
const MAX_METADATA = 2048;
const MAX_TOKEN = 1024;

/** What a put has been asked for, complete. */
export interface CheckedPut {
  readonly key: string;
  readonly ifAbsent: boolean;
  readonly ifMatch: string | undefined;
  readonly sha256: string | undefined;
  readonly metadata: Readonly<Record<string, string>>;
  readonly token: string | undefined;
  /** Tells this call's object from everybody else's, also if the answer to it is lost. The same for the same token. */
  readonly writeId: string;
  readonly partSize: number;
  readonly parallel: number;
  readonly signal: AbortSignal | undefined;
}

/** Completes and checks the options of a put. */
export function checkPut(key: string, options: PutOptions): CheckedPut {
  checkKey(key);
  const { ifAbsent = false, ifMatch, sha256, metadata = {}, token } = options;
  const { partSize = DEFAULT_PART_SIZE, parallel = DEFAULT_PARALLEL } = options;
  if (ifAbsent && ifMatch !== undefined) throw wrong('ifMatch', 'goes with no ifAbsent: choose one of them', key);
  checkEtag(ifMatch, key);
  checkSha256(sha256, key);
  checkMetadata(metadata, key);
  if (token !== undefined && (token === '' || token.length > MAX_TOKEN))
    throw wrong('token', `must have 1 to ${MAX_TOKEN} characters`, key);
  if (!isWithin(partSize, PART_SIZES.least, PART_SIZES.most))
    throw wrong('partSize', `must be a whole number from ${PART_SIZES.least} to ${PART_SIZES.most}`, key);
  if (!isWithin(parallel, 1, 64)) throw wrong('parallel', 'must be a whole number from 1 to 64', key);
  const writeId = token === undefined ? randomUUID() : createHash('sha256').update(`${key}\0${token}`).digest('hex');
  return { key, ifAbsent, ifMatch, sha256, metadata, token, writeId, partSize, parallel, signal: signalOf(options) };
}

/** Refuses ranges and conditions of a get that make no sense. */
export function checkGet(key: string, options: GetOptions): void {
  checkKey(key);
  const { start = 0, end, ifMatch, sha256 } = options;
  if (!isWithin(start, 0, Number.MAX_SAFE_INTEGER)) throw wrong('start', 'must be a whole number from 0 on', key);
  if (end !== undefined && !isWithin(end, start, Number.MAX_SAFE_INTEGER))
    throw wrong('end', 'must be a whole number, and not before start', key);
  checkEtag(ifMatch, key);
  checkSha256(sha256, key);
  if (sha256 !== undefined && (start > 0 || end !== undefined))
    throw wrong('sha256', 'is that of a whole object: leave out start and end', key);
}

/** The size of a list's pages. */
export function pageSizeOf({ pageSize = 1000 }: ListOptions): number {
  if (!isWithin(pageSize, 1, 1000)) throw wrong('pageSize', 'must be a whole number from 1 to 1000');
  return pageSize;
}

/** One signal for what the caller may say and for how long he waits. */
export function signalOf({ signal, timeout }: CallOptions): AbortSignal | undefined {
  if (timeout === undefined) return signal;
  if (!isWithin(timeout, 1, 2 ** 31 - 1)) throw wrong('timeout', 'must be a whole number of milliseconds, at least 1');
  const limit = AbortSignal.timeout(timeout);
  return signal === undefined ? limit : AbortSignal.any([signal, limit]);
}

function checkEtag(etag: string | undefined, key: string): void {
  if (etag === undefined || /^[\x21\x23-\x7e]{1,256}$/.test(etag)) return;
  throw wrong('ifMatch', 'must be the etag of an object, as `put`, `head` and `list` give it', key);
}

function checkSha256(sha256: string | undefined, key: string): void {
  if (sha256 === undefined || /^[0-9a-f]{64}$/.test(sha256)) return;
  throw wrong('sha256', 'must be 64 hexadecimal digits, in small letters', key);
}

function checkMetadata(metadata: Readonly<Record<string, string>>, key: string): void {
  let size = 0;
  for (const [name, value] of Object.entries(metadata)) {
    const field = `metadata[${JSON.stringify(name)}]`;
    if (!/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(name)) throw wrong(field, 'must have a name of a-z, 0-9 and -', key);
    if (name.startsWith('kurator-')) throw wrong(field, 'has a name that this package keeps for itself: kurator-', key);
    // Proxies trim headers, so that spaces at the ends would not come back.
    if (!/^([\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?)?$/.test(value))
      throw wrong(field, 'must have a value of printable ASCII, without spaces at its ends: encode others', key);
    size += name.length + value.length;
  }
  if (size > MAX_METADATA) throw wrong('metadata', `has ${size} bytes, and may have ${MAX_METADATA}`, key);
}

function isWithin(value: number, least: number, most: number): boolean {
  return Number.isSafeInteger(value) && value >= least && value <= most;
}

function wrong(option: string, trouble: string, key?: string): ObjectStoreError {
  return new ObjectStoreError('KUR_STORE_OPTION', `${option} ${trouble}.`, { key });
}
