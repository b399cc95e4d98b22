/** A certificate that signs itself, for a server on this machine or for tokens. */
import { createSelfSigned } from '@kurator/pki';

export function selfSigned(name = 'localhost'): { cert: string; key: string } {
  const request = { commonName: name, names: [name], usages: ['server'] as const, lifetime: 24 * 3600 * 1000 };
  const made = createSelfSigned({ ...request, now: Date.now() });
  return { cert: made.pem, key: made.exportKey() };
}
