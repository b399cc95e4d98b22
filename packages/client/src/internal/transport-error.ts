import { errors } from 'undici';
import { ClientError, type ClientErrorCode } from '../error.ts';

/** Circumstances of a failed exchange. */
export interface Circumstances {
  readonly server: string;
  readonly request: { readonly doing: string; readonly timeout: number; readonly signal?: AbortSignal | undefined };
  /** Whether the request's deadline has passed. */
  readonly expired: boolean;
}

/** Turns what Node or undici threw into our error; the caller's own abort is passed on as it is. */
export function transportError(error: unknown, { server, request, expired }: Circumstances): unknown {
  if (error instanceof ClientError) return error;
  if (request.signal?.aborted && !expired) return request.signal.reason;
  const { doing } = request;
  if (expired || error instanceof errors.HeadersTimeoutError) {
    return failed('KUR_CLIENT_TIMEOUT', `${doing}: ${server} did not finish within ${request.timeout / 1000} s`, error);
  }
  if (error instanceof errors.BodyTimeoutError) {
    return failed('KUR_CLIENT_TIMEOUT', `${doing}: the stream from ${server} went quiet`, error);
  }
  if (error instanceof errors.ClientDestroyedError || error instanceof errors.ClientClosedError) {
    return failed('KUR_CLIENT_INVALID_REQUEST', `${doing}: the client is closed`, error);
  }
  const code = errorCode(error);
  if (isTls(code)) {
    return failed('KUR_CLIENT_TLS', `${doing}: no trusted TLS connection to ${server}: ${messageOf(error)}`, error);
  }
  const why = reasonByCode[code] ?? messageOf(error);
  return failed('KUR_CLIENT_UNREACHABLE', `${doing}: no connection to ${server}: ${why}`, error);
}

const reasonByCode: Record<string, string> = {
  ECONNREFUSED: 'nothing listens there (ECONNREFUSED)',
  ECONNRESET: 'the connection was reset (ECONNRESET)',
  ENOTFOUND: 'the host name is unknown (ENOTFOUND)',
  EHOSTUNREACH: 'there is no way to that host (EHOSTUNREACH)',
  ENETUNREACH: 'there is no way to that network (ENETUNREACH)',
  UND_ERR_CONNECT_TIMEOUT: 'it did not accept a connection in time',
  UND_ERR_SOCKET: 'the connection was closed before the answer was complete',
};

// Node gives OpenSSL's verification results as bare codes, without a common prefix.
const tlsCodes = new Set([
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'CERT_SIGNATURE_FAILURE',
  'CERT_UNTRUSTED',
  'CERT_REJECTED',
  'INVALID_CA',
  'INVALID_PURPOSE',
  'EPROTO',
]);

function isTls(code: string): boolean {
  return (
    tlsCodes.has(code) || code.startsWith('ERR_TLS_') || code.startsWith('ERR_SSL_') || code.startsWith('ERR_OSSL_')
  );
}

function errorCode(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : '';
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function failed(code: ClientErrorCode, message: string, cause: unknown): ClientError {
  return new ClientError(code, message, { cause });
}
