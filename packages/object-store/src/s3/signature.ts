/** Signature version 4 of AWS, as S3 wants it: pure, so that AWS's own examples can be its tests. */
import { createHmac, hash } from 'node:crypto';
import type { S3Credentials } from './credentials.ts';

/** What is signed. */
export interface Signable {
  readonly method: string;
  /** The path as it is sent: encoded once. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** All headers that are sent, with `host`; all of them are signed. Names in small letters. */
  readonly headers: Readonly<Record<string, string>>;
  /** SHA-256 of the body, in hex. */
  readonly payload: string;
}

/** For whom and where it is signed. */
export interface Scope {
  readonly credentials: S3Credentials;
  readonly region: string;
  readonly service: string;
  readonly date: Date;
}

const ALGORITHM = 'AWS4-HMAC-SHA256';

/** The `authorization` header. `x-amz-date` must be among the headers already: `amzDate(scope.date)`. */
export function authorization(request: Signable, scope: Scope): string {
  const day = amzDate(scope.date).slice(0, 8);
  const where = `${day}/${scope.region}/${scope.service}/aws4_request`;
  const { text, signedHeaders } = canonicalRequest(request);
  const toSign = [ALGORITHM, amzDate(scope.date), where, hash('sha256', text, 'hex')].join('\n');
  const signature = createHmac('sha256', signingKey(scope, day)).update(toSign).digest('hex');
  const { accessKeyId } = scope.credentials;
  return `${ALGORITHM} Credential=${accessKeyId}/${where}, SignedHeaders=${signedHeaders}, Signature=${signature}`;
}

/** What the signature is made of. */
function canonicalRequest(request: Signable): { text: string; signedHeaders: string } {
  const headers = Object.entries(request.headers).sort(([a], [b]) => (a < b ? -1 : 1));
  const signedHeaders = headers.map(([name]) => name).join(';');
  const lines = headers.map(([name, value]) => `${name}:${value.trim().replace(/ +/g, ' ')}`);
  const text = [
    request.method,
    request.path,
    queryString(request.query),
    ...lines,
    '',
    signedHeaders,
    request.payload,
  ].join('\n');
  return { text, signedHeaders };
}

/** The query as it is sent and signed: sorted by its encoded names. */
export function queryString(query: Readonly<Record<string, string>>): string {
  return Object.entries(query)
    .map(([name, value]) => [encode(name), encode(value)] as const)
    .sort(([a, x], [b, y]) => (a === b ? order(x, y) : order(a, b)))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}

function order(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** A key as part of a path: slashes stay. */
export function encodePath(key: string): string {
  return key.split('/').map(encode).join('/');
}

/** All but RFC 3986's unreserved characters, in capital letters: `encodeURIComponent` leaves five others. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** `20130524T000000Z` */
export function amzDate(date: Date): string {
  return `${date.toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`;
}

/** The key of a day; one is kept, because thousands of requests of that day need the same. */
let last: { readonly of: string; readonly key: Buffer } | undefined;

function signingKey({ credentials, region, service }: Scope, day: string): Buffer {
  const of = [credentials.secretAccessKey, day, region, service].join('\n');
  if (last?.of === of) return last.key;
  let key: Buffer = Buffer.from(`AWS4${credentials.secretAccessKey}`);
  for (const part of [day, region, service, 'aws4_request']) key = createHmac('sha256', key).update(part).digest();
  last = { of, key };
  return key;
}
