/**
 * What can go wrong with a check, and whose fault it is. Only what the target itself did, or failed to do, is failing.
 * Where the checker could not ask, or can't tell, the outcome is unknown, and unknown never causes a repair.
 */

/** `unknown` means: not observed, by the checker's own trouble. */
export type Outcome = 'healthy' | 'failing' | 'unknown';

interface Explanation {
  readonly outcome: 'failing' | 'unknown';
  readonly reason: string;
}

const failing = (reason: string): Explanation => ({ outcome: 'failing', reason });
const unknown = (reason: string): Explanation => ({ outcome: 'unknown', reason });

/** Every kind of error, its outcome, and why it is that. */
export const errorKinds = {
  // The connection.
  refused: failing('the target host answered that nobody listens there'),
  reset: failing('the target broke the connection off'),
  closed: failing('the target closed the connection without an answer'),
  // It may also be a lost path: with results of other targets and vantage points the diagnosis tells these apart.
  'connect-timeout': failing('nothing answered the opening of a connection in time'),
  // TLS: the target speaks for itself here, whatever it says.
  'tls-timeout': failing('the connection opened, and the TLS handshake did not end in time'),
  'tls-handshake': failing('the target does not speak TLS, or refused ours'),
  'tls-untrusted': failing('the certificate is not signed by an authority that the check trusts'),
  'tls-name': failing('the certificate is for another name'),
  'tls-expired': failing('the certificate is no longer, or not yet, valid'),
  // The answer.
  'response-timeout': failing('the connection opened, and no whole answer came in time: a hang'),
  'body-timeout': failing('the answer began, and did not end in time'),
  protocol: failing('what was answered is not the protocol that the check speaks'),
  'too-large': failing('the answer has more headers than any sensible one'),
  truncated: failing('the target closed the connection in the middle of its answer'),
  status: failing('the status is not an expected one'),
  header: failing('an expected header is missing or different'),
  body: failing('the body is not as expected'),
  redirects: failing('the target redirects in a circle, or more often than allowed'),
  'not-serving': failing('the target itself says that it does not serve'),
  'grpc-status': failing('the call of the health service failed'),
  'exit-code': failing('the command ended with another code than 0'),
  'exec-timeout': failing('the command was started, and did not end in time'),
  // The target is alive and answered, but says nothing about its health, and no repair could make it.
  unimplemented: unknown('the target does not implement the gRPC health service'),
  // The check itself.
  'invalid-check': unknown('the check can not be run as it is written'),
  'pattern-timeout': unknown('the regular expression takes too long for this body'),
  // The checker. None of these says anything about the target: no packet of it was seen.
  'checker-files': unknown('the checker has no file descriptor left'),
  'checker-memory': unknown('the checker has no memory left'),
  'checker-ports': unknown('the checker has no local port left'),
  // A dead host on the same link reads so too, and is reported by its Node. A wrong guess here would cost a repair.
  'checker-route': unknown('the checker has no route to the target'),
  'checker-denied': unknown('a policy keeps the checker from the target'),
  'checker-dns': unknown("the checker could not resolve the target's name"),
  'checker-late': unknown('the checker was held up, and could not give the target its time'),
  'checker-lost': unknown("the checker's thread ended, and is being restarted"),
  'exec-unavailable': unknown('the command could not be started: the API server or the kubelet did not take it'),
  'exec-denied': unknown('the checker is not allowed to run commands in containers'),
  'checker-error': unknown('the checker met an error that it does not know'),
} as const satisfies Record<string, Explanation>;

/** Stable names of what went wrong: see {@link errorKinds}. */
export type ErrorKind = keyof typeof errorKinds;

/** What the kernel, the resolver or OpenSSL calls it. What is not listed is an error that we don't know: unknown. */
const kindsOfCodes: Readonly<Record<string, ErrorKind>> = {
  ECONNREFUSED: 'refused',
  ECONNRESET: 'reset',
  ECONNABORTED: 'reset',
  EPIPE: 'reset',
  ENOTCONN: 'reset',
  // The kernel's own, after all its tries.
  ETIMEDOUT: 'connect-timeout',
  EMFILE: 'checker-files',
  ENFILE: 'checker-files',
  ENOBUFS: 'checker-memory',
  ENOMEM: 'checker-memory',
  EADDRNOTAVAIL: 'checker-ports',
  EADDRINUSE: 'checker-ports',
  EAGAIN: 'checker-ports',
  ENETUNREACH: 'checker-route',
  EHOSTUNREACH: 'checker-route',
  ENETDOWN: 'checker-route',
  EHOSTDOWN: 'checker-route',
  ENONET: 'checker-route',
  EACCES: 'checker-denied',
  EPERM: 'checker-denied',
  ENOTFOUND: 'checker-dns',
  EAI_AGAIN: 'checker-dns',
  EAI_FAIL: 'checker-dns',
  EAI_NODATA: 'checker-dns',
  EAI_MEMORY: 'checker-memory',
  EINVAL: 'invalid-check',
  EAFNOSUPPORT: 'invalid-check',
  EPROTO: 'tls-handshake',
  CERT_HAS_EXPIRED: 'tls-expired',
  CERT_NOT_YET_VALID: 'tls-expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'tls-name',
  HOSTNAME_MISMATCH: 'tls-name',
};

/** Which kind an error of a socket is; `fallback` where its code is not known. */
export function kindOfError(error: unknown, fallback: ErrorKind = 'checker-error'): ErrorKind {
  const code = (error as { code?: unknown } | undefined)?.code;
  if (typeof code !== 'string') return fallback;
  if (code.startsWith('ERR_SSL_')) return 'tls-handshake';
  return kindsOfCodes[code] ?? fallback;
}
