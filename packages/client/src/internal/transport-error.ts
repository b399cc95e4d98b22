import { once } from 'node:events';
import { connect } from 'node:tls';
import { ClientError, type ClientErrorCode, messageOf } from '../error.ts';
import type { Deadline } from './deadline.ts';
import { HeldBack, StreamWentQuiet } from './engine.ts';

/** Circumstances of a failed exchange. */
export interface Circumstances {
  readonly server: string;
  /** What was being done, in words. */
  readonly doing: string;
  readonly deadline: Deadline;
}

/** Turns what Node or the engine threw into our error; the caller's own abort, and what a guard threw, is passed on as it is. */
export async function transportError(error: unknown, { server, doing, deadline }: Circumstances): Promise<unknown> {
  if (error instanceof HeldBack) return error.cause;
  if (deadline.expired()) {
    return failed('KUR_CLIENT_TIMEOUT', `${doing}: ${server} did not finish within ${deadline.length / 1000} s`, error);
  }
  if (deadline.over) return deadline.reason;
  if (error instanceof ClientError) return within(doing, error);
  if (error instanceof StreamWentQuiet) {
    return failed('KUR_CLIENT_TIMEOUT', `${doing}: the stream from ${server} went quiet`, error);
  }
  const code = errorCode(error);
  if (code === 'CLIENT_CLOSED') return failed('KUR_CLIENT_INVALID_REQUEST', `${doing}: the client is closed`, error);
  if (tooLongCodes.has(code)) {
    const remedy = 'ask for less at a time, by `limit`, a namespace or a selector, or read it as a stream';
    return failed(
      'KUR_CLIENT_BAD_RESPONSE',
      `${doing}: the answer of ${server} is too long to be held: ${remedy}`,
      error,
    );
  }
  // What can't be put on the wire was never the server's fault.
  if (error instanceof TypeError) return failed('KUR_CLIENT_INVALID_REQUEST', `${doing}: ${error.message}`, error);
  if (isTls(code)) {
    const why = `${messageOf(error)}${await tlsRemedy(code, server)}`;
    return failed('KUR_CLIENT_TLS', `${doing}: no trusted TLS connection to ${server}: ${why}`, error);
  }
  const why = reasonByCode[code] ?? messageOf(error);
  return failed('KUR_CLIENT_UNREACHABLE', `${doing}: no connection to ${server}: ${why}`, error);
}

// What failed below a request knows what happened, but not what for.
function within(doing: string, error: ClientError): ClientError {
  if (error.message.startsWith(doing)) return error;
  const { status, cause = error } = error;
  return new ClientError(error.code, `${doing}: ${error.message}`, {
    cause,
    ...(status === undefined ? {} : { status }),
  });
}

// Ours, and Node's for a text that can't be made.
const tooLongCodes = new Set(['ANSWER_TOO_LONG', 'ERR_STRING_TOO_LONG']);

const reasonByCode: Record<string, string> = {
  ECONNREFUSED:
    'nothing listens there (ECONNREFUSED): is the cluster running, and is this the address in the right kubeconfig?',
  ECONNRESET: 'the connection was reset (ECONNRESET)',
  ENOTFOUND: 'the host name is unknown (ENOTFOUND): is it spelt right, and does DNS work?',
  EAI_AGAIN: 'the host name could not be looked up (EAI_AGAIN): does DNS work?',
  EHOSTUNREACH: 'there is no way to that host (EHOSTUNREACH): is a VPN or a route missing?',
  ENETUNREACH: 'there is no way to that network (ENETUNREACH): is a VPN or a route missing?',
  CONNECT_TIMEOUT: 'it did not accept a connection in time: is a firewall in between?',
  CONNECTION_LOST: 'the connection was closed before the answer was complete',
};

const validityCodes = new Set(['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID']);
const trustCodes = /SELF_SIGNED|UNABLE_TO_|SIGNATURE_FAILURE/;

async function tlsRemedy(code: string, server: string): Promise<string> {
  if (validityCodes.has(code)) return await validity(server);
  if (code.startsWith('ERR_OSSL_PEM')) return ': are certificate-authority, client-certificate and client-key PEM?';
  if (code === 'EPROTO' || code.includes('WRONG_VERSION')) return ': does that port speak TLS?';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return ': name it by tls-server-name if it is the right server';
  return trustCodes.test(code) ? ': is it the right server, and certificate-authority-data that of this cluster?' : '';
}

/** When the server's certificate is valid: asked of it once more, by a handshake that sends it nothing. */
async function validity(server: string): Promise<string> {
  const { hostname, port } = new URL(server);
  const socket = connect({
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || 443),
    rejectUnauthorized: false,
  });
  try {
    await once(socket, 'secureConnect', { signal: AbortSignal.timeout(2_000) });
    const { valid_from: from, valid_to: to } = socket.getPeerCertificate();
    return ` (valid from ${from} to ${to}; it is now ${new Date().toUTCString()}): renew the server's certificate`;
  } catch {
    return '';
  } finally {
    socket.destroy();
  }
}

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

function failed(code: ClientErrorCode, message: string, cause: unknown): ClientError {
  return new ClientError(code, message, { cause });
}
