/** Certificates for servers on loopback, good or bad as a test needs them. */
import { createSelfSigned } from '@kurator/pki';

const DAY = 24 * 3600 * 1000;

export interface TestCertificate {
  readonly cert: string;
  readonly key: string;
  readonly notAfter: number;
}

/** Signs itself, so it is its own authority. Valid between these days from now, for an address (loopback) or the given name. */
export function selfSigned({ from = -1, to = 30, name = '', address = '127.0.0.1' } = {}): TestCertificate {
  const pair = createSelfSigned({
    commonName: 'test',
    names: [name === '' ? address : name],
    usages: ['server', 'client'],
    now: Date.now() + from * DAY,
    lifetime: (to - from) * DAY,
  });
  return { cert: pair.pem, key: pair.exportKey(), notAfter: pair.certificate.until };
}
