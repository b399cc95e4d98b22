/** A certificate with its key. The key is where nothing that prints objects can see it. */
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { type Certificate, readCertificate, unreadable } from './certificate.ts';
import { attempt } from './internal/attempt.ts';

/**
 * A certificate with its private key. Neither `util.inspect`, nor `JSON.stringify`, nor a logger shows the key: it leaves only
 * by {@link KeyPair.exportKey}.
 */
export class KeyPair {
  readonly certificate: Certificate;
  /** PEM: the certificate, and after it the chain that it was given with. */
  readonly pem: string;
  readonly #key: KeyObject;

  /** For keys that are known to fit; {@link readKeyPair} reads all others. */
  constructor(certificate: Certificate, key: KeyObject, pem = certificate.pem) {
    this.certificate = certificate;
    this.#key = key;
    this.pem = pem;
  }

  /** The private key as PEM, PKCS #8: for a file or a Secret, and nowhere else. */
  exportKey(): string {
    return this.#key.export({ format: 'pem', type: 'pkcs8' }).toString();
  }

  /** The private key, for Node's own functions. */
  get privateKey(): KeyObject {
    return this.#key;
  }
}

/** Throws {@link PkiError} if these are not a certificate and its own key, both as PEM. */
export function readKeyPair(pem: string, key: string): KeyPair {
  const certificate = readCertificate(pem);
  const privateKey = attempt(() => createPrivateKey(key));
  if (!privateKey) throw unreadable('the key is no private key');
  if (!new X509Certificate(certificate.pem).checkPrivateKey(privateKey)) {
    throw unreadable('the key is not that of the certificate');
  }
  return new KeyPair(certificate, privateKey, pem);
}
