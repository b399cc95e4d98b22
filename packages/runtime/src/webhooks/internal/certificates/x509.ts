/** Signs certificates. Elliptic keys: made in a millisecond, and every API server knows them. */
import 'reflect-metadata';
import type { webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import * as x509 from '@peculiar/x509';

interface Made {
  /** PEM. */
  readonly certificate: string;
  /** PEM, PKCS #8. */
  readonly key: string;
}

interface Request {
  readonly commonName: string;
  /** Milliseconds since 1970. */
  readonly from: number;
  readonly until: number;
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const { KeyUsageFlags } = x509;

export async function makeAuthority(request: Request): Promise<Made> {
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    keys,
    name: nameOf(request),
    signingAlgorithm: algorithm,
    notBefore: new Date(request.from),
    notAfter: new Date(request.until),
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return await made(certificate, keys.privateKey);
}

export async function makeServing(
  request: Request & { readonly authority: Made; readonly names: readonly string[] },
): Promise<Made> {
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const authority = new x509.X509Certificate(request.authority.certificate);
  const pkcs8 = x509.PemConverter.decodeFirst(request.authority.key);
  const signingKey = await crypto.subtle.importKey('pkcs8', pkcs8, algorithm, false, ['sign']);
  const certificate = await x509.X509CertificateGenerator.create({
    subject: nameOf(request),
    issuer: authority.subject,
    publicKey: keys.publicKey,
    signingKey,
    signingAlgorithm: algorithm,
    notBefore: new Date(request.from),
    notAfter: new Date(request.until),
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      await x509.AuthorityKeyIdentifierExtension.create(authority),
      new x509.SubjectAlternativeNameExtension(
        request.names.map((value) => ({ type: isIP(value) ? ('ip' as const) : ('dns' as const), value })),
      ),
    ],
  });
  return await made(certificate, keys.privateKey);
}

function nameOf({ commonName }: Request): string {
  return new x509.Name([{ CN: [commonName] }]).toString();
}

async function made(certificate: x509.X509Certificate, key: webcrypto.CryptoKey): Promise<Made> {
  const pkcs8 = await crypto.subtle.exportKey('pkcs8', key);
  return {
    certificate: `${certificate.toString('pem')}\n`,
    key: `${x509.PemConverter.encode(pkcs8, x509.PemConverter.PrivateKeyTag)}\n`,
  };
}
