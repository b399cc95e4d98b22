/** How TLS is spoken with a target, and why its certificate is refused. */
import type { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { type ConnectionOptions, createSecureContext, type SecureContext, type TLSSocket } from 'node:tls';
import type { TlsSettings } from '../check.ts';
import { must } from '../check.ts';
import { type ErrorKind, kindOfError } from '../error-kind.ts';

/** Settings made ready once for all runs. */
export interface TlsPlan {
  readonly options: ConnectionOptions;
  readonly name: string;
  readonly skipVerify: boolean;
}

/** By the PEM text: making one costs as much as a hundred checks, and thousands of checks share a few. */
const contexts = new Map<string, SecureContext>();
const MOST_CONTEXTS = 1000;

function contextFor(ca: string | undefined): SecureContext {
  const known = contexts.get(ca ?? '');
  if (known) return known;
  const context = makeContext(ca);
  if (contexts.size >= MOST_CONTEXTS) contexts.clear();
  contexts.set(ca ?? '', context);
  return context;
}

function makeContext(ca: string | undefined): SecureContext {
  // OpenSSL takes a text without any certificate as an empty list, and would then trust nobody.
  must(ca === undefined || ca.includes('-----BEGIN CERTIFICATE-----'), 'tls.ca must be certificates in PEM');
  try {
    return createSecureContext(ca === undefined ? {} : { ca });
  } catch (error) {
    must(false, `tls.ca must be certificates in PEM: ${(error as Error).message}`);
  }
}

/** Throws `InvalidCheck` where the settings can't be used. `name` is what is verified unless they say otherwise. */
export function tlsPlanOf(settings: TlsSettings, name: string, protocol: 'http/1.1' | 'h2'): TlsPlan {
  const verified = settings.serverName ?? name;
  must(verified !== '', 'tls.serverName must not be empty');
  return {
    name: verified,
    skipVerify: settings.skipVerify ?? false,
    options: {
      secureContext: contextFor(settings.ca),
      // An address may not be asked for by SNI; Node would verify against the connected host then.
      servername: isIP(verified) ? '' : verified,
      ALPNProtocols: [protocol],
      // Judged by refusalOf, so that the expiry of a refused certificate is known too.
      rejectUnauthorized: false,
      checkServerIdentity: () => undefined,
    },
  };
}

/** Why the server is not believed to be the one it should be; undefined when it is. */
export function refusalOf(
  socket: TLSSocket,
  certificate: X509Certificate | undefined,
  { name, skipVerify }: TlsPlan,
): { kind: ErrorKind; message: string } | undefined {
  if (skipVerify) return undefined;
  if (socket.authorizationError) {
    // A string in Node's code, an Error in its types.
    const code = String(socket.authorizationError);
    return { kind: kindOfError({ code }, 'tls-untrusted'), message: `certificate refused: ${code}` };
  }
  if (isIP(name) ? certificate?.checkIP(name) : certificate?.checkHost(name)) return undefined;
  return {
    kind: 'tls-name',
    message: `the certificate is for ${certificate?.subjectAltName ?? 'nobody'}, not for ${name}`,
  };
}
