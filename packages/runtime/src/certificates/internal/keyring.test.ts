import { bundleOf } from '@kurator/pki';
import { describe, expect, it } from 'vitest';
import { changed, dataOf, freshKeyring, type Keyring, keyringOf, outlook } from './keyring.ts';

const DAY = 86_400_000;
const HOUR = 3_600_000;
const start = Date.UTC(2026, 0, 1);
const names = ['web.shop.svc', '127.0.0.1'];
const settings = {
  operator: 'shop',
  purpose: 'webhooks',
  names,
  overlap: HOUR,
  lifetime: 90 * DAY,
  authorityLifetime: 365 * DAY,
};
const fresh = () => freshKeyring(settings, start);
const changeOf = (...args: Parameters<typeof outlook>) => outlook(...args).change;

describe('a ring of keys', () => {
  it('rests until two thirds of the serving certificate are over', () => {
    const keyring = fresh();
    const rest = changeOf(keyring, settings, start, true);
    expect(rest).toBeGreaterThan(59 * DAY);
    expect(rest).toBeLessThan(61 * DAY);
    expect(changeOf(keyring, settings, start + 61 * DAY, true)).toBe('renew');
  });

  it('changes its authority in four steps, each in its time', () => {
    let keyring = changed('renew', fresh(), settings, start + 200 * DAY);
    let now = start + 244 * DAY;
    const old = keyring.ring.authority.pem;
    const take = (held: boolean) => {
      const { change } = outlook(keyring, settings, now, held);
      if (typeof change === 'string') keyring = changed(change, keyring, settings, now);
      return change;
    };
    expect(take(true)).toBe('begin');
    const both = bundleOf(keyring.ring);
    expect(both).toContain(keyring.ring.next?.authority.pem);
    expect(keyring.serving.certificate).toMatchObject({ names, commonName: 'shop webhooks', usages: ['server'] });
    expect(take(false)).toBeGreaterThan(HOUR);
    expect(take(true)).toBe('announce');
    expect(take(true)).toBe(HOUR);
    now += HOUR;
    expect(take(false)).not.toBe('promote');
    expect(take(true)).toBe('promote');
    expect(keyring.ring.authority.pem).not.toBe(old);
    expect(keyring.ring.previous?.certificates.map(({ pem }) => pem)).toEqual([old]);
    expect(keyring.serving.certificate.issuerKeyId).toBe(keyring.ring.authority.certificate.keyId);
    expect(bundleOf(keyring.ring)).toBe(both);
    expect(JSON.stringify(dataOf(keyring))).not.toContain('next-ca');
    expect(take(true)).toBe(HOUR);
    now += HOUR;
    expect(take(true)).toBe('retire');
    expect(bundleOf(keyring.ring)).toBe(keyring.ring.authority.pem);
  });

  it('does not wait for anybody when what it serves has run out, and says so', () => {
    let keyring = fresh();
    const now = start + 400 * DAY;
    expect(outlook(keyring, settings, now, true).concerns.map(({ kind }) => kind)).toEqual(['expired', 'expired']);
    for (const expected of ['begin', 'announce', 'promote']) {
      const change = changeOf(keyring, settings, now, true);
      expect(change).toBe(expected);
      if (typeof change === 'string') keyring = changed(change, keyring, settings, now);
    }
    expect(keyring.serving.certificate.until).toBeGreaterThan(now);
  });

  it('makes a new certificate when it is needed for another name, and keeps the names that others need', () => {
    const keyring = fresh();
    const renamed = { ...settings, names: ['store.shop.svc'] };
    expect(changeOf(keyring, renamed, start, true)).toBe('renew');
    const next = changed('renew', keyring, renamed, start);
    expect(next.serving.certificate.names).toEqual(['store.shop.svc', ...names]);
    expect(changeOf(next, renamed, start, true)).toBeTypeOf('number');
    expect(changeOf(next, settings, start, true)).toBeTypeOf('number');
  });

  it('is made for an operator whose name is longer than a certificate has room for', () => {
    const long = { ...settings, operator: 'o'.repeat(63) };
    expect(changeOf(freshKeyring(long, start), long, start, true)).toBeTypeOf('number');
  });
});

describe('a ring in a Secret', () => {
  it('comes back as it was, in each of its states', () => {
    const keyring = fresh();
    const begun = changed('begin', keyring, settings, start);
    const announced = changed('announce', begun, settings, start);
    const promoted = changed('promote', announced, settings, start);
    for (const state of [keyring, begun, announced, promoted]) expect(keyringOf(dataOf(state))).toEqual(state);
  });

  it('has the names that it always had, and in ca.crt the authority that signs', () => {
    const begun = changed('announce', changed('begin', fresh(), settings, start), settings, start);
    const data = dataOf(begun);
    expect(Object.keys(data).sort()).toEqual(
      ['ca.crt', 'ca.key', 'next-ca-announced-at', 'next-ca.crt', 'next-ca.key', 'tls.crt', 'tls.key'].sort(),
    );
    expect(Buffer.from(data['ca.crt'] ?? '', 'base64').toString()).toBe(begun.ring.authority.pem);
    const promoted = dataOf(changed('promote', begun, settings, start));
    expect(Object.keys(promoted)).toEqual(expect.arrayContaining(['previous-ca.crt', 'previous-ca-until']));
  });

  it('is none when somebody has edited it', () => {
    const data = dataOf(fresh());
    const other: Keyring = fresh();
    expect(keyringOf(undefined)).toBeUndefined();
    expect(keyringOf({})).toBeUndefined();
    expect(keyringOf({ ...data, 'tls.crt': 'bm9uZQ==' })).toBeUndefined();
    expect(keyringOf({ ...data, 'tls.key': dataOf(other)['tls.key'] ?? '' })).toBeUndefined();
    expect(
      keyringOf({ ...data, 'previous-ca.crt': data['ca.crt'] ?? '', 'previous-ca-until': 'eA==' }),
    ).toBeUndefined();
  });
});
