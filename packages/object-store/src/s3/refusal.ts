/** What a server of S3 answers instead of what it was asked for, and what a person needs to know about it. */
import type { IncomingHttpHeaders } from 'node:http';
import { ObjectStoreError, type ObjectStoreErrorCode } from '../error.ts';
import { parseXml, textOf } from './xml.ts';

/** An answer that is no success. */
export class Refusal extends Error {
  readonly status: number;
  /** S3's own word; empty where the answer has none, as one to HEAD. */
  readonly reason: string;
  /** The server's time, where it said it. */
  readonly date: Date | undefined;
  /** Where the bucket is, where the server said it. */
  readonly region: string | undefined;
  /** Milliseconds. */
  readonly retryAfter: number | undefined;

  constructor(status: number, headers: IncomingHttpHeaders, body: string) {
    const { reason, text, region } = readError(body);
    super(text || `HTTP ${status}`);
    this.name = 'Refusal';
    this.status = status;
    this.reason = reason;
    this.date = readDate(headers.date);
    this.region = region ?? first(headers['x-amz-bucket-region']);
    this.retryAfter = readRetryAfter(headers['retry-after']);
  }
}

function first(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

function readError(body: string): { reason: string; text: string; region: string | undefined } {
  try {
    const error = parseXml(body, 'Error');
    const text = (textOf(error, 'Message') ?? '').slice(0, 300);
    return { reason: textOf(error, 'Code') ?? '', text, region: textOf(error, 'Region') };
  } catch {
    // A proxy's page, or nothing: the status has to do.
    return { reason: '', text: '', region: undefined };
  }
}

function readDate(header: string | undefined): Date | undefined {
  const date = new Date(header ?? '');
  return Number.isNaN(date.getTime()) ? undefined : date;
}

function readRetryAfter(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d+$/.test(header.trim())) return Number(header) * 1000;
  const date = readDate(header);
  return date && Math.max(0, date.getTime() - Date.now());
}

const passingStatuses = new Set([408, 429, 500, 502, 503, 504]);
const passingReasons = new Set([
  'InternalError',
  'OperationAborted',
  'RequestTimeout',
  'ServiceUnavailable',
  'SlowDown',
]);

/** Whether the same request may succeed a moment later. */
export function isPassing(error: unknown): boolean {
  if (error instanceof Refusal) return passingStatuses.has(error.status) || passingReasons.has(error.reason);
  return !(error instanceof ObjectStoreError) && !isTlsTrouble(error);
}

function isTlsTrouble(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code ?? '';
  return /^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED|ERR_OSSL)|^EPROTO$|_CERT|HOSTNAME_MISMATCH/.test(
    code,
  );
}

/** It took too long without anything happening. */
export class Stalled extends Error {
  override readonly name = 'Stalled';
}

type Meaning = readonly [code: ObjectStoreErrorCode, what: string];

const byReason: Readonly<Record<string, Meaning>> = {
  NoSuchKey: ['KUR_STORE_NOT_FOUND', 'there is no such object'],
  NoSuchBucket: ['KUR_STORE_NO_BUCKET', 'there is no such bucket: create it, or correct `bucket` or `endpoint`'],
  InvalidBucketName: ['KUR_STORE_NO_BUCKET', 'the bucket has a name that is not allowed: correct `bucket`'],
  InvalidAccessKeyId: [
    'KUR_STORE_CREDENTIALS',
    'the server does not know credentials.accessKeyId: look at the Secret it comes from',
  ],
  SignatureDoesNotMatch: [
    'KUR_STORE_CREDENTIALS',
    'the signature is not accepted: credentials.secretAccessKey is wrong, or a proxy changes requests',
  ],
  // versitygw's, with the status 404.
  XAdminUserNotFound: [
    'KUR_STORE_CREDENTIALS',
    'the server does not know credentials.accessKeyId: look at the Secret it comes from',
  ],
  ExpiredToken: ['KUR_STORE_CREDENTIALS', 'credentials.sessionToken has expired: get new credentials'],
  InvalidToken: ['KUR_STORE_CREDENTIALS', 'credentials.sessionToken is not accepted: get new credentials'],
  RequestTimeTooSkewed: ['KUR_STORE_CLOCK', "this machine's clock and the server's differ too much: set the clock"],
  AccessDenied: [
    'KUR_STORE_FORBIDDEN',
    'these credentials may not do that: extend the policy of their user or of the bucket',
  ],
  AuthorizationHeaderMalformed: ['KUR_STORE_REGION', 'the bucket is in another region: correct `region`'],
  PermanentRedirect: ['KUR_STORE_REGION', 'the bucket is in another region: correct `region` or `endpoint`'],
  EntityTooLarge: ['KUR_STORE_TOO_LARGE', 'the server does not take objects or parts of this size'],
  BadDigest: ['KUR_STORE_DIGEST', 'the content that arrived is not the one that was sent: try again'],
  XAmzContentSHA256Mismatch: ['KUR_STORE_DIGEST', 'the content that arrived is not the one that was sent: try again'],
  InvalidRange: ['KUR_STORE_OPTION', 'start is after the end of the object'],
  QuotaExceeded: ['KUR_STORE_FULL', "the bucket's quota is used up: delete something, or raise it"],
  XMinioStorageFull: ['KUR_STORE_FULL', 'the server has no space left: make room'],
  NoSuchUpload: ['KUR_STORE_REFUSED', 'the upload is gone, finished or aborted by somebody else: put the object again'],
  InvalidPart: [
    'KUR_STORE_REFUSED',
    'a part of the upload was replaced by another writer with the same token: put the object again',
  ],
  ConditionalRequestConflict: [
    'KUR_STORE_CHANGED',
    'another writer was at work on the same key: look at the object, and put it again',
  ],
};

const byStatus: Readonly<Record<number, Meaning>> = {
  301: ['KUR_STORE_REGION', 'the bucket is elsewhere: correct `region` or `endpoint`'],
  307: ['KUR_STORE_REGION', 'the bucket is elsewhere: correct `region` or `endpoint`'],
  401: ['KUR_STORE_CREDENTIALS', 'the server does not accept the credentials: look at the Secret they come from'],
  403: ['KUR_STORE_FORBIDDEN', 'the credentials are wrong, or may not do that'],
  404: ['KUR_STORE_NOT_FOUND', 'there is no such object'],
  412: ['KUR_STORE_CHANGED', 'the object is not the one that `ifMatch` names'],
  416: ['KUR_STORE_OPTION', 'start is after the end of the object'],
  429: ['KUR_STORE_SERVER', 'the server wants fewer requests, for longer than the retries last: try again later'],
  507: ['KUR_STORE_FULL', 'the server has no space left: make room'],
};

function meaningOf({ status, reason }: Refusal): Meaning {
  const known = byReason[reason] ?? byStatus[status];
  // Not there is what only the object itself can be: what else there may not be, a reason says.
  const isOther = known?.[0] === 'KUR_STORE_NOT_FOUND' && !['', 'NoSuchKey', 'NotFound'].includes(reason);
  if (known && !isOther) return known;
  if (status >= 500) return ['KUR_STORE_SERVER', 'the server has a fault of its own, for longer than the retries last'];
  return ['KUR_STORE_REFUSED', 'the server refuses it'];
}

/** The error for whoever called, with where it happened and what helps. */
export function explain(error: unknown, where: string, key: string | undefined): unknown {
  if (error instanceof ObjectStoreError) return error;
  if (error instanceof Refusal) {
    const [code, what] = meaningOf(error);
    const { status, reason } = error;
    const said = `${status}${reason && ` ${reason}`}${error.message.startsWith('HTTP ') ? '' : `: ${error.message}`}`;
    return new ObjectStoreError(code, `${where}: ${what}. (${said})`, { key, status, reason: reason || undefined });
  }
  const { code: reason, message } = error as NodeJS.ErrnoException;
  const [code, what] = meaningOfTrouble(error);
  return new ObjectStoreError(code, `${where}: ${what}. (${message})`, { key, reason, cause: error });
}

function meaningOfTrouble(error: unknown): Meaning {
  if (error instanceof Stalled)
    return ['KUR_STORE_TIMEOUT', 'nothing came from the server in time, as often as it was tried'];
  if (isTlsTrouble(error))
    return ['KUR_STORE_TLS', "the server's certificate is not accepted: give `ca`, or correct `endpoint`"];
  return [
    'KUR_STORE_UNREACHABLE',
    "the server can't be reached, or cuts connections: look at `endpoint` and the network",
  ];
}
