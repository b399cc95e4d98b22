import { createPublicKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isFor, readBundle, readCertificate } from './certificate.ts';
import { createAuthority, issueLeaf, type LeafRequest } from './issue.ts';
import { hasSigned } from './judge.ts';
import { KeyPair, readKeyPair } from './key-pair.ts';

const DAY = 86_400_000;
const HOUR = 3_600_000;
const now = Date.UTC(2026, 5, 1);
const lifetime = 90 * DAY;
const authority = createAuthority({ name: 'shop', now, lifetime: 365 * DAY });
const server = {
  commonName: 'db',
  names: ['db.shop.svc', '10.1.2.3', '::1'],
  usages: ['server'],
  now,
  lifetime,
} as const;

describe('an authority', () => {
  it('may sign certificates, and nothing but certificates', () => {
    const parsed = new X509Certificate(authority.pem);
    expect(parsed.ca).toBe(true);
    expect(parsed.verify(parsed.publicKey)).toBe(true);
    expect(authority.certificate).toMatchObject({ isAuthority: true, names: [], issuerKeyId: undefined });
  });

  it('has a name that no other has', () => {
    const again = createAuthority({ name: 'shop', now, lifetime });
    expect(authority.certificate.commonName).toMatch(/^shop [0-9a-f]{16}$/);
    expect(again.certificate.commonName).not.toBe(authority.certificate.commonName);
    expect(again.certificate.keyId).not.toBe(authority.certificate.keyId);
  });
});

describe('a leaf', () => {
  it('is for its names and usages, and says who signed it', () => {
    const { certificate } = issueLeaf(authority, server);
    expect(certificate).toMatchObject({
      commonName: 'db',
      names: ['db.shop.svc', '10.1.2.3', '::1'],
      usages: ['server'],
      isAuthority: false,
      issuerKeyId: authority.certificate.keyId,
    });
    expect(hasSigned(authority.certificate, certificate)).toBe(true);
    expect(hasSigned(createAuthority({ name: 'shop', now, lifetime }).certificate, certificate)).toBe(false);
    const parsed = new X509Certificate(certificate.pem);
    expect(parsed.checkHost('db.shop.svc')).toBe('db.shop.svc');
    expect(parsed.checkHost('other.shop.svc')).toBeUndefined();
    expect(parsed.checkIP('::1')).toBe('::1');
    expect(parsed.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
  });

  it('of a client has its user and groups where servers read them', () => {
    const groups = ['system:nodes', 'Käufer'];
    const request = { commonName: 'system:node:n1', organizations: groups, usages: ['client'], now, lifetime } as const;
    const { certificate } = issueLeaf(authority, request);
    expect(certificate).toMatchObject({
      commonName: 'system:node:n1',
      organizations: groups,
      usages: ['client'],
      names: [],
    });
    expect(new X509Certificate(certificate.pem).subject).toBe('O=system:nodes\nO=Käufer\nCN=system:node:n1');
  });

  it('is dated back a little, and never outlives its authority', () => {
    expect(issueLeaf(authority, server).certificate).toMatchObject({ from: now - HOUR, until: now + lifetime });
    const late = issueLeaf(authority, { ...server, now: now + 300 * DAY });
    expect(late.certificate.until).toBe(authority.certificate.until);
    const short = issueLeaf(authority, { ...server, lifetime: HOUR });
    expect(short.certificate.from).toBe(now - HOUR / 10);
  });

  it('has dates that are read as they were written, before 2050 and after', () => {
    for (const year of [1971, 2049, 2050, 2099]) {
      const then = Date.UTC(year, 6, 1);
      const { from, until } = createAuthority({ name: 'then', now: then, lifetime: DAY }).certificate;
      expect([from, until]).toEqual([then - HOUR, then + DAY]);
    }
  });

  it('has a serial number of its own, of more than 128 bits', () => {
    const serials = Array.from({ length: 50 }, () => issueLeaf(authority, server).certificate.serial);
    expect(new Set(serials).size).toBe(50);
    for (const serial of serials) expect(serial).toMatch(/^[4-7][0-9a-f]{39}$/);
  });

  it('is signed by an authority that others have made, with a key of RSA', () => {
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
    const signed = issueLeaf(new KeyPair(authority.certificate, rsa), server);
    expect(new X509Certificate(signed.pem).verify(createPublicKey(rsa))).toBe(true);
    const { privateKey } = generateKeyPairSync('ed25519');
    expect(() => issueLeaf(new KeyPair(authority.certificate, privateKey), server)).toThrow(/of the sort ed25519/);
  });

  it('comes back from its PEM as what was asked for, whatever that was', () => {
    const label = fc.stringMatching(/^[a-z]([a-z0-9-]{0,8}[a-z0-9])?$/);
    const dns = fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => labels.join('.'));
    const wanted = fc.record({
      commonName: fc
        .string({ minLength: 1, maxLength: 30, unit: 'grapheme-composite' })
        .filter((text) => [...text].length <= 64),
      organizations: fc.array(label, { maxLength: 3 }),
      names: fc.uniqueArray(fc.oneof(dns, fc.ipV4(), fc.ipV6()), { minLength: 1, maxLength: 20 }),
      usages: fc.constantFrom(['server'] as const, ['client'] as const, ['server', 'client'] as const),
    });
    fc.assert(
      fc.property(wanted, (request) => {
        const { certificate } = issueLeaf(authority, { ...request, now, lifetime });
        expect(isFor(certificate, request)).toBe(true);
        expect(isFor(certificate, { ...request, names: [...request.names, 'one.more'] })).toBe(false);
        const parsed = new X509Certificate(certificate.pem);
        for (const name of request.names) expect(parsed.checkHost(name) ?? parsed.checkIP(name)).toBeDefined();
        expect(readCertificate(certificate.pem)).toEqual(certificate);
      }),
      { numRuns: 100 },
    );
  });
});

describe('what can not be certified', () => {
  const long = 'x'.repeat(65);
  it.each<[string, Partial<LeafRequest>, string]>([
    ['no name', { commonName: '' }, 'commonName must be 1 to 64'],
    ['a long name', { commonName: long }, 'commonName must be 1 to 64'],
    ['a line break in a name', { commonName: 'a\nb' }, 'without control characters'],
    ['a long group', { organizations: [long] }, 'organizations must be 1 to 64'],
    ['many groups', { organizations: Array.from({ length: 17 }, () => 'x') }, 'organizations must be 16 at most'],
    ['a name that is none', { names: ['a b'] }, 'names must be DNS names or IP addresses; "a b" is neither'],
    ['many names', { names: Array.from({ length: 257 }, (_, n) => `n${n}`) }, 'names must be 256 at most'],
    ['a server without a name', { names: [] }, 'names must not be empty for a server'],
    ['no usage', { usages: [] }, "usages must be 'server', 'client' or both"],
    ['no time', { lifetime: 0 }, 'lifetime must be between a second'],
    ['not a time', { lifetime: Number.NaN }, 'lifetime must be between a second'],
    ['not a date', { now: Number.NaN }, 'now must be milliseconds since 1970'],
  ])('%s is refused, and the field is named', (_, changes, says) => {
    expect(() => issueLeaf(authority, { ...server, ...changes })).toThrow(
      expect.objectContaining({ code: 'KUR_PKI_REQUEST', message: expect.stringContaining(says) }),
    );
  });

  it.each([
    ['not yet valid', authority, now - DAY, /valid from .* on: the clock is behind/],
    ['expired', authority, now + 366 * DAY, /it was valid until/],
    ['no authority', issueLeaf(authority, server), now, /it is no authority/],
  ])('nothing by an authority that is %s', (_, signer, at, says) => {
    expect(() => issueLeaf(signer, { ...server, now: at })).toThrow(says);
  });
});

describe('a key', () => {
  const pair = issueLeaf(authority, server);
  const secret = pair.exportKey().split('\n')[1] ?? expect.unreachable();

  it('is not seen in anything that prints what holds it', () => {
    const prints = [
      inspect(pair, { depth: 9, showHidden: true }),
      JSON.stringify(pair),
      String(pair),
      `${inspect({ pair })}`,
    ];
    for (const text of prints) {
      expect(text).not.toContain(secret);
      expect(text).not.toContain('PRIVATE');
    }
  });

  it('is read with its certificate alone, and never quoted', () => {
    expect(readKeyPair(pair.pem, pair.exportKey()).certificate).toEqual(pair.certificate);
    const wrong: [string, string][] = [
      [authority.pem, pair.exportKey()],
      [pair.pem, secret],
      [pair.exportKey(), pair.pem],
      [pair.pem.replace('MII', 'XXX'), pair.exportKey()],
      ['', ''],
    ];
    for (const [certificate, key] of wrong) {
      const error = (() => {
        try {
          return readKeyPair(certificate, key);
        } catch (thrown) {
          return thrown;
        }
      })();
      expect(error).toMatchObject({ code: 'KUR_PKI_UNREADABLE' });
      expect(inspect(error)).not.toContain(secret);
    }
  });
});

it('a bundle is read whole, whatever is between its certificates', () => {
  const other = createAuthority({ name: 'other', now, lifetime });
  const bundle = `# the old one\n${authority.pem}\n# the new one\r\n${other.pem.replaceAll('\n', '\r\n')}`;
  expect(readBundle(bundle).map(({ fingerprint }) => fingerprint)).toEqual([
    authority.certificate.fingerprint,
    other.certificate.fingerprint,
  ]);
  expect(readBundle('nothing')).toEqual([]);
  expect(() => readBundle(' '.repeat(1_048_577))).toThrow('longer than 1 MiB');
});
