/**
 * The certificates of one cluster: an authority that lives as long as the cluster
 * does, and what it signs for servers and clients. Elliptic keys: fast to make.
 */
import 'reflect-metadata';
import type { webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';

export interface KeyPair {
  /** PEM. */
  readonly certificate: string;
  /** PEM, PKCS #8. */
  readonly key: string;
}

export interface CertificateRequest {
  commonName: string;
  /** Kubernetes reads a client's groups here. */
  organisations?: readonly string[];
  dnsNames?: readonly string[];
  addresses?: readonly string[];
}

/** Its certificate is what others trust; its key is for those who sign in its name, as the controller manager does. */
export interface CertificateAuthority extends KeyPair {
  /** A certificate good for serving and for authenticating as a client. */
  issue(request: CertificateRequest): Promise<KeyPair>;
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const YEAR = 365 * 24 * 3600 * 1000;
/** A clock that was just set back must not make a new certificate invalid. */
const BACKDATE = 3600 * 1000;

export async function createAuthority(commonName: string): Promise<CertificateAuthority> {
  const keys = await generateKeys();
  const name = new x509.Name([{ CN: [commonName] }]);
  const authority = await x509.X509CertificateGenerator.createSelfSigned({
    ...validity(),
    keys,
    name: name.toString(),
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });

  return {
    certificate: authority.toString('pem'),
    key: await exportKey(keys.privateKey),
    async issue(request) {
      const subjectKeys = await generateKeys();
      const certificate = await x509.X509CertificateGenerator.create({
        ...validity(),
        subject: subjectOf(request),
        issuer: authority.subject,
        publicKey: subjectKeys.publicKey,
        signingKey: keys.privateKey,
        signingAlgorithm: algorithm,
        extensions: [
          new x509.BasicConstraintsExtension(false, undefined, true),
          new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature | x509.KeyUsageFlags.keyEncipherment, true),
          new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth, x509.ExtendedKeyUsage.clientAuth]),
          await x509.AuthorityKeyIdentifierExtension.create(authority),
          ...alternativeNames(request),
        ],
      });
      return { certificate: certificate.toString('pem'), key: await exportKey(subjectKeys.privateKey) };
    },
  };
}

/** The key that signs service-account tokens, with its public half. */
export async function createSigningKey(): Promise<{ privateKey: string; publicKey: string }> {
  const keys = await generateKeys();
  const spki = await crypto.subtle.exportKey('spki', keys.publicKey);
  return {
    privateKey: await exportKey(keys.privateKey),
    publicKey: x509.PemConverter.encode(spki, x509.PemConverter.PublicKeyTag),
  };
}

async function generateKeys(): Promise<webcrypto.CryptoKeyPair> {
  return await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
}

async function exportKey(key: webcrypto.CryptoKey): Promise<string> {
  return x509.PemConverter.encode(await crypto.subtle.exportKey('pkcs8', key), x509.PemConverter.PrivateKeyTag);
}

function validity() {
  const now = Date.now();
  return { notBefore: new Date(now - BACKDATE), notAfter: new Date(now + 10 * YEAR) };
}

function subjectOf({ commonName, organisations = [] }: CertificateRequest): string {
  return new x509.Name([...organisations.map((name) => ({ O: [name] })), { CN: [commonName] }]).toString();
}

function alternativeNames({ dnsNames = [], addresses = [] }: CertificateRequest): x509.Extension[] {
  const names = [
    ...dnsNames.map((value) => ({ type: 'dns' as const, value })),
    ...addresses.map((value) => ({ type: 'ip' as const, value })),
  ];
  return names.length === 0 ? [] : [new x509.SubjectAlternativeNameExtension(names)];
}
