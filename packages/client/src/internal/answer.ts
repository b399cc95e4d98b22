import { ClientError, errorFromStatus } from '../error.ts';
import type { Status } from '../object.ts';
import type { ResourceType } from '../resource-type.ts';
import type { HttpAnswer } from './http.ts';
import { parseJson } from './json.ts';

/** The body as JSON where the server says that it is JSON, else as text. */
export function decode<T>(doing: string, answer: HttpAnswer): T {
  if (!isJson(answer)) return answer.text as T;
  const value = parseJson(answer.text);
  if (value !== undefined) return value as T;
  throw new ClientError('KUR_CLIENT_BAD_RESPONSE', `${doing}: the answer claims to be JSON and is not`, {
    status: answer.status,
  });
}

/** The error for an answer that isn't a success. */
export function refusal({ doing, type }: { doing: string; type?: ResourceType }, answer: HttpAnswer): ClientError {
  const status = asStatus(answer);
  if (type && answer.status === 404 && !status?.details?.name) return unknownKind(doing, type);
  return errorFromStatus(
    doing,
    status ?? { kind: 'Status', message: tellingLine(answer) },
    answer.status,
    secondsUntil(answer.headers['retry-after']),
  );
}

/** Retry-After is a number of seconds, or, from some proxies, a date. */
function secondsUntil(retryAfter: string | string[] | undefined): number | undefined {
  const text = String(retryAfter ?? '');
  if (/^\d+$/.test(text)) return Number(text);
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - Date.now()) / 1000));
}

// The server's 404 names the object that it misses; where it names none, it misses the kind.
function unknownKind(doing: string, { apiVersion, kind, plural }: ResourceType): ClientError {
  const message = `${doing}: the server has no ${plural} in ${apiVersion}: is the definition of ${kind} installed?`;
  return new ClientError('KUR_CLIENT_UNKNOWN_KIND', message, { status: 404 });
}

function asStatus(answer: HttpAnswer): Status | undefined {
  const body = isJson(answer) ? (parseJson(answer.text) as Partial<Status> | null | undefined) : undefined;
  return body?.kind === 'Status' ? (body as Status) : undefined;
}

// Proxies and health endpoints answer with a page of text: one line of it tells enough. The API server's own have a
// line for each check, and begin those of the failed ones with `[-]`.
function tellingLine(answer: HttpAnswer): string {
  const lines = isHtml(answer) ? [] : answer.text.split('\n');
  const line = (lines.find((line) => line.startsWith('[-]')) ?? lines[0] ?? '').trim().slice(0, 200);
  return line ? `HTTP status ${answer.status}: ${line}` : `HTTP status ${answer.status}`;
}

const contentType = (answer: HttpAnswer) => String(answer.headers['content-type'] ?? '');
const isJson = (answer: HttpAnswer) => /\bjson\b/.test(contentType(answer));
const isHtml = (answer: HttpAnswer) => /\bhtml\b/.test(contentType(answer));
