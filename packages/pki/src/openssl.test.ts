/** Judged by a program that nobody here wrote. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createAuthority, createSelfSigned, issueLeaf } from './issue.ts';
import { readKeyPair } from './key-pair.ts';

const isThere = spawnSync('openssl', ['version']).status === 0;
const folder = mkdtempSync(join(tmpdir(), 'pki-'));
afterAll(() => rmSync(folder, { recursive: true }));

const HOUR = 3_600_000;
const now = Date.now();
const authority = createAuthority({ name: 'shop', now, lifetime: 24 * HOUR });
const other = createAuthority({ name: 'shop', now, lifetime: 24 * HOUR });
const request = {
  commonName: 'db',
  names: ['db.shop.svc', '*.db.shop.svc', '10.1.2.3', 'fd00::1'],
  now,
  lifetime: HOUR,
};
const server = issueLeaf(authority, { ...request, usages: ['server'] });
const client = issueLeaf(authority, {
  commonName: 'söme user',
  organizations: ['g'],
  usages: ['client'],
  now,
  lifetime: HOUR,
});
const both = issueLeaf(authority, { ...request, usages: ['server', 'client'] });

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}

/** What it says: `OK`, or why not. */
function verify(leaf: { pem: string }, bundle: string, ...options: string[]): string {
  const args = ['verify', '-x509_strict', '-check_ss_sig', '-no-CApath', '-CAfile', file('ca.crt', bundle), ...options];
  const { stdout, stderr } = spawnSync('openssl', [...args, file('tls.crt', leaf.pem)], { encoding: 'utf8' });
  return /error \d+ at \d+ depth lookup: ?(.*)/.exec(stderr)?.[1] ?? stdout.trim().split(': ').at(-1) ?? '';
}

describe.runIf(isThere)('openssl', () => {
  it.each([
    ['a server by its name', server, ['-purpose', 'sslserver', '-verify_hostname', 'db.shop.svc']],
    ['a server by a wildcard', server, ['-purpose', 'sslserver', '-verify_hostname', 'a.db.shop.svc']],
    ['a server by its address', server, ['-purpose', 'sslserver', '-verify_ip', '10.1.2.3']],
    ['a server by its address of IPv6', server, ['-purpose', 'sslserver', '-verify_ip', 'fd00::1']],
    ['a client', client, ['-purpose', 'sslclient']],
    ['who is both, as a server', both, ['-purpose', 'sslserver']],
    ['who is both, as a client', both, ['-purpose', 'sslclient']],
  ])('accepts %s, by its strict rules, from a bundle in any order', (_, leaf, options) => {
    expect(verify(leaf, authority.pem + other.pem, ...options)).toBe('OK');
    expect(verify(leaf, other.pem + authority.pem, ...options)).toBe('OK');
  });

  it.each([
    ['another authority', server, other.pem, ['-purpose', 'sslserver'], /unable to get local issuer certificate/],
    ['another name', server, authority.pem, ['-verify_hostname', 'web.shop.svc'], /hostname mismatch/],
    [
      'a server as a client',
      server,
      authority.pem,
      ['-purpose', 'sslclient'],
      /(un)?suit(able|ed).*purpose|unsupported certificate purpose/i,
    ],
    [
      'a client as a server',
      client,
      authority.pem,
      ['-purpose', 'sslserver'],
      /(un)?suit(able|ed).*purpose|unsupported certificate purpose/i,
    ],
    [
      'a leaf as an authority',
      issueLeaf(authority, { ...request, usages: ['server'] }),
      server.pem,
      [],
      /issuer certificate/,
    ],
  ])('refuses %s', (_, leaf, bundle, options, says) => {
    expect(verify(leaf, bundle, ...options)).toMatch(says);
  });

  it('accepts what signs itself, if it was given it', () => {
    const alone = createSelfSigned({ ...request, usages: ['server'] });
    expect(verify(alone, alone.pem, '-purpose', 'sslserver')).toBe('OK');
    expect(verify(alone, authority.pem)).toMatch(/self-signed certificate/);
  });

  it('reads what was written', () => {
    const text = (pem: string) =>
      execFileSync('openssl', ['x509', '-noout', '-text', '-nameopt', 'RFC2253,-esc_msb,utf8'], {
        input: pem,
        encoding: 'utf8',
      });
    expect(text(authority.pem)).toMatch(/Basic Constraints: critical\s+CA:TRUE, pathlen:0/);
    expect(text(authority.pem)).toMatch(/X509v3 Key Usage: critical\s+Certificate Sign, CRL Sign\n/);
    expect(text(server.pem)).toMatch(/Basic Constraints: critical\s+CA:FALSE/);
    expect(text(server.pem)).toMatch(/X509v3 Key Usage: critical\s+Digital Signature\n/);
    expect(text(both.pem)).toMatch(/TLS Web Server Authentication, TLS Web Client Authentication/);
    expect(text(both.pem)).toContain(
      'DNS:db.shop.svc, DNS:*.db.shop.svc, IP Address:10.1.2.3, IP Address:FD00:0:0:0:0:0:0:1',
    );
    expect(text(client.pem)).toMatch(/Subject: CN=söme user,O=g/);
  });

  it.each([
    ['rsa', ['-newkey', 'rsa:2048']],
    ['ec', ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-384']],
  ])('accepts what is signed in the name of an authority of its own, with a key of the sort %s', (_, options) => {
    const [certificate, key] = [join(folder, 'own.crt'), join(folder, 'own.key')];
    const usage = ['-addext', 'keyUsage=critical,keyCertSign,cRLSign'];
    const subject = ['-subj', '/C=DE/O=Corp/CN=Root', '-days', '2', '-nodes', ...usage];
    execFileSync('openssl', ['req', '-x509', ...options, ...subject, '-keyout', key, '-out', certificate], {
      stdio: 'pipe',
    });
    const [pem, secret] = [certificate, key].map((path) => readFileSync(path, 'utf8'));
    const own = readKeyPair(pem ?? '', secret ?? '');
    expect(own.certificate).toMatchObject({ commonName: 'Root', organizations: ['Corp'], isAuthority: true });
    expect(verify(issueLeaf(own, { ...request, now: Date.now(), usages: ['server'] }), own.pem)).toBe('OK');
  });
});
