/** Judges a certificate as whoever is shown it would, and says everything that is wrong with it. */
import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { type Certificate, readBundle, type Usage } from './certificate.ts';

/** What can be wrong with a certificate. */
export type FindingCode = 'untrusted' | 'not-yet-valid' | 'expired' | 'wrong-name' | 'wrong-usage';

/** One thing that is wrong with a certificate. */
export interface Finding {
  readonly code: FindingCode;
  readonly message: string;
}

/** As what, when and by whom a certificate is judged. */
export interface Circumstances {
  /** The authorities that are trusted, as PEM. */
  readonly bundle: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly usage: Usage;
  /** The DNS name or IP address that was connected to; left out for a client. */
  readonly name?: string;
}

/** Everything for which a certificate would be refused; nothing: it would be accepted. */
export function judge(certificate: Certificate, { bundle, now, usage, name }: Circumstances): Finding[] {
  const signer = readBundle(bundle).find((authority) => hasSigned(authority, certificate));
  const findings: (Finding | undefined)[] = [
    signer ? validity(signer, now, 'the authority') : finding('untrusted', 'no authority of the bundle has signed it'),
    validity(certificate, now, 'it'),
    certificate.usages.includes(usage) ? undefined : finding('wrong-usage', `it is not for a ${usage}`),
    name === undefined || isNamed(certificate, name) ? undefined : finding('wrong-name', `it is not for ${name}`),
  ];
  return findings.filter((one) => one !== undefined);
}

/** Whether an authority has really signed a certificate; {@link Certificate.issuerKeyId} only says so. */
export function hasSigned(authority: Certificate, certificate: Certificate): boolean {
  if (!authority.isAuthority) return false;
  const [signer, signed] = [new X509Certificate(authority.pem), new X509Certificate(certificate.pem)];
  return signed.checkIssued(signer) && signed.verify(signer.publicKey);
}

function validity({ from, until }: Certificate, now: number, who: string): Finding | undefined {
  if (now < from) return finding('not-yet-valid', `${who} is valid from ${new Date(from).toISOString()} on`);
  return until <= now ? finding('expired', `${who} was valid until ${new Date(until).toISOString()}`) : undefined;
}

function isNamed({ pem }: Certificate, name: string): boolean {
  const certificate = new X509Certificate(pem);
  return (isIP(name) ? certificate.checkIP(name) : certificate.checkHost(name, { subject: 'never' })) !== undefined;
}

function finding(code: FindingCode, message: string): Finding {
  return { code, message };
}
