/** Certificates for servers on loopback, good or bad as a test needs them. */
import 'reflect-metadata';
import * as x509 from '@peculiar/x509';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const DAY = 24 * 3600 * 1000;

export interface TestCertificate {
  readonly cert: string;
  readonly key: string;
  readonly notAfter: number;
}

/** Signs itself, so it is its own authority. Valid between these days from now, for an address (loopback) or the given name. */
export async function selfSigned({
  from = -1,
  to = 30,
  name = '',
  address = '127.0.0.1',
} = {}): Promise<TestCertificate> {
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const made = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=test',
    keys,
    signingAlgorithm: algorithm,
    notBefore: new Date(Date.now() + from * DAY),
    notAfter: new Date(Date.now() + to * DAY),
    extensions: [
      new x509.SubjectAlternativeNameExtension([
        name === '' ? { type: 'ip', value: address } : { type: 'dns', value: name },
      ]),
    ],
  });
  const pkcs8 = Buffer.from(await crypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64');
  return {
    cert: made.toString('pem'),
    key: `-----BEGIN PRIVATE KEY-----\n${pkcs8}\n-----END PRIVATE KEY-----\n`,
    notAfter: made.notAfter.getTime(),
  };
}
