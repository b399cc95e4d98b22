/** Between what we know of an object and the headers that a server keeps for us. */
import type { IncomingHttpHeaders } from 'node:http';
import { ObjectStoreError } from '../error.ts';
import type { ExpectedDigest } from '../internal/content-check.ts';
import type { CheckedPut } from '../internal/options.ts';
import type { ObjectInfo } from '../object-store.ts';

const META = 'x-amz-meta-';
const WRITE = 'x-amz-meta-kurator-write';
const SHA256 = 'x-amz-meta-kurator-sha256';
const PART_SIZE = 'x-amz-meta-kurator-part-size';
const CHECKSUM = 'x-amz-checksum-sha256';

/** The headers that say what is put; `sha256` where it is known before. */
export function headersOf(put: CheckedPut, sha256: string | undefined, isInParts: boolean): Record<string, string> {
  const given = Object.entries(put.metadata).map(([name, value]) => [`${META}${name}`, value] as const);
  return {
    'content-type': 'application/octet-stream',
    ...Object.fromEntries(given),
    [WRITE]: put.writeId,
    ...(sha256 === undefined ? {} : { [SHA256]: sha256 }),
    ...(isInParts ? { [PART_SIZE]: String(put.partSize) } : {}),
  };
}

/** The condition of a put, as headers. */
export function conditionOf({ ifAbsent, ifMatch }: CheckedPut): Record<string, string> {
  if (ifAbsent) return { 'if-none-match': '*' };
  return ifMatch === undefined ? {} : { 'if-match': `"${ifMatch}"` };
}

/** What an answer to GET or HEAD says of an object. */
export function infoOf(key: string, headers: IncomingHttpHeaders): ObjectInfo {
  const total = /^bytes \d+-\d+\/(\d+)$/.exec(headers['content-range'] ?? '')?.[1] ?? headers['content-length'];
  const size = Number(total ?? Number.NaN);
  const etag = bareEtag(headers.etag);
  if (!Number.isSafeInteger(size) || etag === '')
    throw new ObjectStoreError('KUR_STORE_BAD_RESPONSE', `${key}: the answer has no length or no ETag: is this S3?`, {
      key,
    });
  const metadata = Object.entries(headers).filter(
    ([name]) => name.startsWith(META) && !name.startsWith(`${META}kurator-`),
  );
  const sha256 = wholeDigest(headers);
  return {
    key,
    size,
    etag,
    lastModified: new Date(headers['last-modified'] ?? 0),
    metadata: Object.fromEntries(metadata.map(([name, value]) => [name.slice(META.length), String(value)])),
    ...(sha256 === undefined ? {} : { sha256 }),
  };
}

/** Which call of `put` it is from. */
export function writeIdOf(headers: IncomingHttpHeaders): string | undefined {
  return text(headers[WRITE]);
}

/** What the whole content can be compared with. */
export function expectedDigest(headers: IncomingHttpHeaders, asked: string | undefined): ExpectedDigest | undefined {
  const sha256 = asked ?? wholeDigest(headers);
  if (sha256 !== undefined) return { sha256 };
  const ofParts = text(headers[CHECKSUM]);
  const partSize = Number(text(headers[PART_SIZE]) ?? 0);
  return ofParts !== undefined && partSize > 0 ? { ofParts, partSize } : undefined;
}

function wholeDigest(headers: IncomingHttpHeaders): string | undefined {
  const kept = text(headers[SHA256]);
  if (kept !== undefined) return kept;
  const checksum = text(headers[CHECKSUM]);
  // With a `-` it is one of the parts' digests.
  return checksum && !checksum.includes('-') ? Buffer.from(checksum, 'base64').toString('hex') : undefined;
}

/** Without its quotes. */
export function bareEtag(etag: string | undefined): string {
  return (etag ?? '').replace(/^"|"$/g, '');
}

function text(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}
