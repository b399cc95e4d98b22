import { describe, expect, it } from 'vitest';
import { createIssuer } from './issuer.ts';
import { bundleOf, freshKeyring, type Keyring, nextStep, taken } from './keyring.ts';
import { dataOf, keyringOf } from './keyring-secret.ts';

const DAY = 86_400_000;
const HOUR = 3_600_000;
const start = Date.UTC(2026, 0, 1);
const names = ['web.shop.svc', '127.0.0.1'];
const plan = { overlap: HOUR, lifetime: 90 * DAY, names };
const issuer = createIssuer({ operator: 'shop', lifetime: 90 * DAY, authorityLifetime: 365 * DAY });
const fresh = () => freshKeyring(issuer, plan, start);

describe('a ring of keys', () => {
  it('rests until two thirds of the serving certificate are over', async () => {
    const ring = await fresh();
    const rest = nextStep(ring, plan, start, true);
    expect(rest).toBeGreaterThan(59 * DAY);
    expect(rest).toBeLessThan(61 * DAY);
    expect(nextStep(ring, plan, start + 61 * DAY, true)).toBe('renew');
  });

  it('changes its authority in four steps, each in its time', async () => {
    let ring = await fresh();
    let now = start + 244 * DAY;
    const old = ring.authority.certificate;
    const take = async (held: boolean) => {
      const step = nextStep(ring, plan, now, held);
      if (typeof step === 'string') ring = await taken(step, ring, plan, now, issuer);
      return step;
    };
    expect(await take(true)).toBe('renew');
    expect(await take(true)).toBe('begin');
    expect(bundleOf(ring)).toContain(ring.next?.authority.certificate);
    const both = bundleOf(ring);
    expect(ring.serving).toMatchObject({ names });
    expect(await take(false)).toBeGreaterThan(HOUR);
    expect(await take(true)).toBe('announce');
    expect(await take(true)).toBe(HOUR);
    now += HOUR;
    expect(await take(false)).not.toBe('promote');
    expect(await take(true)).toBe('promote');
    expect(ring.authority.certificate).not.toBe(old);
    expect(ring.previous?.certificate).toBe(old);
    expect(bundleOf(ring)).toBe(both);
    expect(JSON.stringify(dataOf(ring))).not.toContain('next-ca');
    expect(await take(true)).toBe(HOUR);
    now += HOUR;
    expect(await take(true)).toBe('retire');
    expect(bundleOf(ring)).toBe(ring.authority.certificate);
  });

  it('does not wait for anybody when what it serves has run out', async () => {
    let ring = await fresh();
    const now = start + 400 * DAY;
    for (const expected of ['begin', 'announce', 'promote']) {
      const step = nextStep(ring, plan, now, true);
      expect(step).toBe(expected);
      if (typeof step === 'string') ring = await taken(step, ring, plan, now, issuer);
    }
    expect(ring.serving.until).toBeGreaterThan(now);
  });

  it('makes a new certificate when it is needed for another name, and keeps the names that others need', async () => {
    const ring = await fresh();
    const renamed = { ...plan, names: ['store.shop.svc'] };
    expect(nextStep(ring, renamed, start, true)).toBe('renew');
    const next = await taken('renew', ring, renamed, start, issuer);
    expect(next.serving.names).toEqual(['store.shop.svc', ...names]);
    expect(nextStep(next, renamed, start, true)).toBeTypeOf('number');
    expect(nextStep(next, plan, start, true)).toBeTypeOf('number');
  });
});

describe('a ring in a Secret', () => {
  it('comes back as it was, in each of its states', async () => {
    const ring = await fresh();
    const begun = await taken('begin', ring, plan, start, issuer);
    const announced = await taken('announce', begun, plan, start, issuer);
    const promoted = await taken('promote', announced, plan, start, issuer);
    for (const state of [ring, begun, announced, promoted]) expect(keyringOf(dataOf(state))).toEqual(state);
  });

  it('is none when somebody has edited it', async () => {
    const data = dataOf(await fresh());
    const other: Keyring = await fresh();
    expect(keyringOf(undefined)).toBeUndefined();
    expect(keyringOf({})).toBeUndefined();
    expect(keyringOf({ ...data, 'tls.crt': 'bm9uZQ==' })).toBeUndefined();
    expect(keyringOf({ ...data, 'tls.key': dataOf(other)['tls.key'] ?? '' })).toBeUndefined();
    expect(
      keyringOf({ ...data, 'previous-ca.crt': data['ca.crt'] ?? '', 'previous-ca-until': 'eA==' }),
    ).toBeUndefined();
  });
});
