import { setTimeout } from 'node:timers/promises';
import { ClientError } from '../error.ts';
import type { Deadline } from './deadline.ts';
import type { HttpMethod } from './http.ts';

/** What a request must be known by in order to say whether it may be sent twice. */
export interface Repeatable {
  readonly method: HttpMethod;
  readonly contentType?: string;
}

/** How often a request that failed is sent again unless told. */
export const RETRIES = 4;

const FIRST_DELAY = 100;
const LONGEST_DELAY = 5_000;

/**
 * Sends a request again while its failure may pass, it may be sent twice, and there is time: bounded by `retries` and
 * by the deadline. A wait that would outlast the deadline is not begun; the failure is told at once instead.
 */
export async function withRetries<T>(
  request: Repeatable,
  retries: number,
  deadline: Deadline,
  send: () => Promise<T>,
): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await send();
    } catch (error) {
      const delay = mayRetry(error, request) ? delayBefore(error, attempt) : Number.POSITIVE_INFINITY;
      if (attempt >= retries || delay >= deadline.left()) throw afterAttempts(error, attempt + 1);
      const pause = setTimeout(delay, undefined, { signal: deadline.signal });
      await pause.catch(() => {
        throw deadline.expired() ? afterAttempts(error, attempt + 1) : deadline.signal.reason;
      });
    }
  }
}

/** Whether this failure may pass by itself, and whether this request may be sent again after it. */
export function mayRetry(error: unknown, request: Repeatable): boolean {
  if (!(error instanceof ClientError)) return false;
  if (error.code === 'KUR_CLIENT_TOO_MANY_REQUESTS') return !isDisruptionBudget(error);
  if (error.code === 'KUR_CLIENT_UNREACHABLE' && wasNeverSent(error)) return true;
  if (!isIdempotent(request)) return false;
  if (isUnknownField(error)) return false;
  return error.code === 'KUR_CLIENT_UNREACHABLE' || passingStatuses.has(error.status ?? 0);
}

const passingStatuses = new Set([500, 502, 503, 504]);

// Sending one of these twice does what sending it once does. Operations of a JSON patch may append to a list.
function isIdempotent({ method, contentType }: Repeatable): boolean {
  return method !== 'POST' && contentType !== 'application/json-patch+json';
}

// Said with the same status as overload, but it is a decision: it is the caller who knows how long to wait for it.
function isDisruptionBudget(error: ClientError): boolean {
  return error.causes.some(({ reason }) => reason === 'DisruptionBudget');
}

// What an apply with a field that its kind doesn't have is called: a fault of the server, which it is not.
function isUnknownField(error: ClientError): boolean {
  return error.status === 500 && error.message.includes('field not declared in schema');
}

const refusedConnections = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'CONNECT_TIMEOUT',
]);

function wasNeverSent(error: ClientError): boolean {
  return refusedConnections.has(String((error.cause as { code?: unknown } | undefined)?.code));
}

/** Milliseconds before the next attempt: what the server asks for, else twice as long each time; never the same for all. */
export function delayBefore(error: unknown, attempt: number, random = Math.random): number {
  const backoff = Math.min(LONGEST_DELAY, FIRST_DELAY * 2 ** attempt);
  const asked = error instanceof ClientError ? (error.retryAfterSeconds ?? 0) * 1000 : 0;
  return asked + backoff * (0.5 + random() / 2);
}

function afterAttempts(error: unknown, attempts: number): unknown {
  if (attempts === 1 || !(error instanceof ClientError)) return error;
  const { status, reason, causes, retryAfterSeconds, cause } = error;
  return new ClientError(error.code, `${error.message} (tried ${attempts} times)`, {
    causes,
    ...(status === undefined ? {} : { status }),
    ...(reason === undefined ? {} : { reason }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    ...(cause === undefined ? {} : { cause }),
  });
}
