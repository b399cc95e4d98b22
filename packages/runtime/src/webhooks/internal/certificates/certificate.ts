/** A certificate with its key, and what must be known of it: read once. */
import { createPrivateKey, X509Certificate } from 'node:crypto';

export interface Certificate {
  /** PEM. */
  readonly certificate: string;
  /** PEM, PKCS #8. */
  readonly key: string;
  /** Milliseconds since 1970 between which it is valid. */
  readonly from: number;
  readonly until: number;
  /** DNS names and IP addresses that it is for; none for an authority. */
  readonly names: readonly string[];
}

/** Throws if it is not a certificate with its own key. */
export function readCertificate(certificate: string, key: string): Certificate {
  const parsed = new X509Certificate(certificate);
  if (!parsed.checkPrivateKey(createPrivateKey(key))) throw new Error('the key is not that of the certificate');
  return {
    certificate,
    key,
    from: Date.parse(parsed.validFrom),
    until: Date.parse(parsed.validTo),
    names: namesOf(parsed.subjectAltName ?? ''),
  };
}

function namesOf(subjectAltName: string): string[] {
  // "DNS:a.b.svc, IP Address:127.0.0.1"
  return subjectAltName.split(', ').flatMap((name) => /^(?:DNS|IP Address):(.+)$/.exec(name)?.[1] ?? []);
}
