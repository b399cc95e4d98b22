/** Lists objects, uploads and parts of uploads, page by page. */
import { ObjectStoreError } from '../error.ts';
import { pageSizeOf, signalOf } from '../internal/options.ts';
import type { CallOptions, ListOptions, ListPage, ObjectInfo, PendingUpload } from '../object-store.ts';
import type { S3Connection } from './connection.ts';
import { bareEtag } from './object-headers.ts';
import { childrenOf, parseXml, textOf, type XmlElement } from './xml.ts';

/** A part of an upload that the server has. */
export interface UploadedPart {
  readonly number: number;
  readonly size: number;
  readonly etag: string;
  /** In base64, where the server keeps it. */
  readonly sha256: string | undefined;
}

/** The pages of a list of objects. */
export async function* listObjects(
  connection: S3Connection,
  prefix: string,
  options: ListOptions,
): AsyncGenerator<ListPage> {
  const signal = signalOf(options);
  const { delimiter, startAfter } = options;
  const fixed = {
    'list-type': '2',
    'encoding-type': 'url',
    'max-keys': String(pageSizeOf(options)),
    prefix,
    ...(delimiter === undefined ? {} : { delimiter }),
    ...(startAfter === undefined ? {} : { 'start-after': startAfter }),
  };
  let from: Record<string, string> = {};
  for (;;) {
    const { body } = await connection.call({ method: 'GET', query: { ...fixed, ...from }, signal });
    const page = parseXml(body, 'ListBucketResult');
    const decode = decoderOf(page);
    const objects = childrenOf(page, 'Contents').map((item) => infoOf(item, decode));
    const prefixes = childrenOf(page, 'CommonPrefixes').map((item) => decode(textOf(item, 'Prefix') ?? ''));
    if (objects.length + prefixes.length > 0) yield { objects, prefixes };
    if (!isTruncated(page)) return;
    from = { 'continuation-token': required(page, 'NextContinuationToken') };
  }
}

function infoOf(item: XmlElement, decode: (text: string) => string): ObjectInfo {
  return {
    key: decode(required(item, 'Key')),
    size: Number(required(item, 'Size')),
    etag: bareEtag(required(item, 'ETag')),
    lastModified: new Date(textOf(item, 'LastModified') ?? 0),
  };
}

/** The uploads that are not finished. */
export async function* listUploads(
  connection: S3Connection,
  prefix: string,
  options: CallOptions,
): AsyncGenerator<PendingUpload> {
  const signal = signalOf(options);
  const fixed = { uploads: '', 'encoding-type': 'url', prefix };
  let from: Record<string, string> = {};
  for (;;) {
    const { body } = await connection.call({ method: 'GET', query: { ...fixed, ...from }, signal });
    const page = parseXml(body, 'ListMultipartUploadsResult');
    const decode = decoderOf(page);
    for (const item of childrenOf(page, 'Upload')) {
      const startedAt = new Date(textOf(item, 'Initiated') ?? 0);
      yield { key: decode(required(item, 'Key')), id: required(item, 'UploadId'), startedAt };
    }
    if (!isTruncated(page)) return;
    from = {
      'key-marker': decode(required(page, 'NextKeyMarker')),
      'upload-id-marker': required(page, 'NextUploadIdMarker'),
    };
  }
}

/** The parts of an upload with numbers above `after`. */
export async function* listParts(
  connection: S3Connection,
  { key, id }: PendingUpload,
  after: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<UploadedPart> {
  let marker = String(after);
  for (;;) {
    const query = { uploadId: id, 'part-number-marker': marker };
    const { body } = await connection.call({ method: 'GET', key, query, signal });
    const page = parseXml(body, 'ListPartsResult');
    for (const item of childrenOf(page, 'Part')) {
      yield {
        number: Number(required(item, 'PartNumber')),
        size: Number(required(item, 'Size')),
        etag: bareEtag(required(item, 'ETag')),
        sha256: textOf(item, 'ChecksumSHA256'),
      };
    }
    if (!isTruncated(page)) return;
    marker = required(page, 'NextPartNumberMarker');
  }
}

/** Keys come encoded as in a query, where the server can do that. */
function decoderOf(page: XmlElement): (text: string) => string {
  if (textOf(page, 'EncodingType') !== 'url') return (text) => text;
  return (text) => decodeURIComponent(text.replaceAll('+', ' '));
}

function isTruncated(page: XmlElement): boolean {
  return textOf(page, 'IsTruncated') === 'true';
}

function required(element: XmlElement, name: string): string {
  const text = textOf(element, name);
  if (text !== undefined) return text;
  throw new ObjectStoreError('KUR_STORE_BAD_RESPONSE', `The answer's ${element.name} has no ${name}: is this S3?`);
}
