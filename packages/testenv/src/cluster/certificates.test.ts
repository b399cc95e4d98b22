import { X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createAuthority } from './certificates.ts';

describe('createAuthority', () => {
  it('issues certificates that it has signed, for the names and addresses that were asked for', async () => {
    const authority = await createAuthority('test-authority');
    const root = new X509Certificate(authority.certificate);
    const request = { commonName: 'server', dnsNames: ['api.example'], addresses: ['10.128.0.2'] };
    const issued = new X509Certificate((await authority.issue(request)).certificate);
    expect(root.ca).toBe(true);
    expect(issued.ca).toBe(false);
    expect(issued.verify(root.publicKey)).toBe(true);
    expect(issued.checkHost('api.example')).toBe('api.example');
    expect(issued.checkHost('other.example')).toBeUndefined();
    expect(issued.checkIP('10.128.0.2')).toBe('10.128.0.2');
  });

  it('puts groups where Kubernetes reads them', async () => {
    const authority = await createAuthority('test-authority');
    const pair = await authority.issue({ commonName: 'system:node:n1', organisations: ['system:nodes'] });
    expect(new X509Certificate(pair.certificate).subject).toBe('O=system:nodes\nCN=system:node:n1');
  });

  it('is not mistaken for another authority of the same name', async () => {
    const [one, other] = await Promise.all([createAuthority('same'), createAuthority('same')]);
    const issued = new X509Certificate((await one.issue({ commonName: 'client' })).certificate);
    expect(issued.verify(new X509Certificate(other.certificate).publicKey)).toBe(false);
  });
});
