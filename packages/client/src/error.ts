import { describeRule, type MissingRule, missingRule } from './missing-rule.ts';
import type { Status } from './object.ts';

/** Stable, searchable codes of everything that can go wrong between this process and the API server. */
export type ClientErrorCode =
  /** The kubeconfig can't be read, or says something that makes no sense. */
  | 'KUR_CLIENT_KUBECONFIG'
  /** The kubeconfig asks for something that this client can't do. */
  | 'KUR_CLIENT_UNSUPPORTED'
  /** A token file can't be read, or a credential plugin failed. */
  | 'KUR_CLIENT_CREDENTIALS'
  /** The caller asked for something that can't be sent, for example a Pod without a namespace. */
  | 'KUR_CLIENT_INVALID_REQUEST'
  /** No connection to the server could be made, or it broke. */
  | 'KUR_CLIENT_UNREACHABLE'
  /** The two sides don't accept each other's certificates. */
  | 'KUR_CLIENT_TLS'
  /** The server didn't answer in time, or a stream went quiet. */
  | 'KUR_CLIENT_TIMEOUT'
  /** The server answered something that is not Kubernetes. */
  | 'KUR_CLIENT_BAD_RESPONSE'
  | 'KUR_CLIENT_UNAUTHORIZED'
  | 'KUR_CLIENT_FORBIDDEN'
  | 'KUR_CLIENT_NOT_FOUND'
  /** The server has no such kind: its CRD isn't installed, or the server is of another version. */
  | 'KUR_CLIENT_UNKNOWN_KIND'
  | 'KUR_CLIENT_ALREADY_EXISTS'
  | 'KUR_CLIENT_CONFLICT'
  /** A resourceVersion or continue token is too old: list again. */
  | 'KUR_CLIENT_EXPIRED'
  /** The object breaks a rule of its kind; `causes` says which fields. */
  | 'KUR_CLIENT_INVALID'
  | 'KUR_CLIENT_TOO_MANY_REQUESTS'
  /** The server has a fault of its own: any 5xx. */
  | 'KUR_CLIENT_SERVER'
  /** Any other refusal. */
  | 'KUR_CLIENT_REFUSED';

/** One field that the server objects to. */
export interface FieldCause {
  /** The path of the field, for example `spec.containers[0].name`; absent when the cause isn't about a field. */
  readonly field?: string;
  /** Kubernetes' word for what is wrong, for example `FieldValueRequired`. */
  readonly reason?: string;
  readonly message: string;
}

/** What a {@link ClientError} may know beyond its code and message. */
export interface ClientErrorDetails {
  readonly status?: number;
  readonly reason?: string;
  readonly causes?: readonly FieldCause[];
  /** Seconds after which the server asks to be tried again. */
  readonly retryAfterSeconds?: number;
  readonly missingRule?: MissingRule;
  readonly cause?: unknown;
}

/**
 * The one error class of this package. Its message is for people; `code` is for programs and search engines.
 * It never holds tokens, headers or whole bodies, so it can be logged as it is.
 */
export class ClientError extends Error {
  readonly code: ClientErrorCode;
  /** HTTP status, where the server answered at all. */
  readonly status: number | undefined;
  /** Kubernetes' reason, for example `NotFound` or `AlreadyExists`. */
  readonly reason: string | undefined;
  /** The fields that the server objects to; empty when it named none. */
  readonly causes: readonly FieldCause[];
  /** Seconds after which the server asks to be tried again. */
  readonly retryAfterSeconds: number | undefined;
  /** The permission that would have allowed it, where that is what was missing. */
  readonly missingRule: MissingRule | undefined;

  constructor(code: ClientErrorCode, message: string, details: ClientErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'ClientError';
    this.code = code;
    this.status = details.status;
    this.reason = details.reason;
    this.causes = details.causes ?? [];
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.missingRule = details.missingRule;
  }
}

/** True for a ClientError with this code. */
export function hasCode(error: unknown, code: ClientErrorCode): error is ClientError {
  return error instanceof ClientError && error.code === code;
}

/** The object, or the namespace that it was to be made in, isn't there. */
export const isNotFound = (error: unknown) => hasCode(error, 'KUR_CLIENT_NOT_FOUND');

/** Someone else created an object of this name first. */
export const isAlreadyExists = (error: unknown) => hasCode(error, 'KUR_CLIENT_ALREADY_EXISTS');

/** Someone else changed the object, or owns the field: read it again and decide anew. */
export const isConflict = (error: unknown) => hasCode(error, 'KUR_CLIENT_CONFLICT');

/** The resourceVersion or continue token is too old: list again. */
export const isExpired = (error: unknown) => hasCode(error, 'KUR_CLIENT_EXPIRED');

const codeByReason: Record<string, ClientErrorCode> = {
  AlreadyExists: 'KUR_CLIENT_ALREADY_EXISTS',
  Conflict: 'KUR_CLIENT_CONFLICT',
  Expired: 'KUR_CLIENT_EXPIRED',
  Gone: 'KUR_CLIENT_EXPIRED',
};

const codeByStatus: Record<number, ClientErrorCode> = {
  401: 'KUR_CLIENT_UNAUTHORIZED',
  403: 'KUR_CLIENT_FORBIDDEN',
  404: 'KUR_CLIENT_NOT_FOUND',
  409: 'KUR_CLIENT_CONFLICT',
  410: 'KUR_CLIENT_EXPIRED',
  422: 'KUR_CLIENT_INVALID',
  429: 'KUR_CLIENT_TOO_MANY_REQUESTS',
};

/** Turns the server's own account of a failure into an error; `doing` says what was asked, for example `get Pod a/b`. */
export function errorFromStatus(doing: string, answer: Status, httpStatus: number, retryAfter?: number): ClientError {
  const status = answer.code ?? httpStatus;
  const retryAfterSeconds = answer.details?.retryAfterSeconds ?? retryAfter;
  const code =
    codeByReason[answer.reason ?? ''] ??
    codeByStatus[status] ??
    (status >= 500 ? 'KUR_CLIENT_SERVER' : 'KUR_CLIENT_REFUSED');
  const said = answer.message || answer.reason || `HTTP status ${status}`;
  const rule = status === 403 ? missingRule(said) : undefined;
  const remedy = rule ? `; ${describeRule(rule)}` : '';
  return new ClientError(code, `${doing}: ${shorten(said)}${remedy}`, {
    status,
    ...(rule ? { missingRule: rule } : {}),
    causes: (answer.details?.causes ?? []).map(({ message = '', ...rest }) => ({ ...rest, message })),
    ...(answer.reason ? { reason: answer.reason } : {}),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });
}

/** What an error says, whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

// A list of many bad fields can be as long as the object itself; `causes` has them all.
const LONGEST_MESSAGE = 2_000;

function shorten(text: string): string {
  return text.length <= LONGEST_MESSAGE ? text : `${text.slice(0, LONGEST_MESSAGE)}…`;
}
