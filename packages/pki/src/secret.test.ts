import { expect, it } from 'vitest';
import { createAuthority, issueLeaf } from './issue.ts';
import { bundleOf, type Ring, take } from './ring.ts';
import { leafData, leafFromData, ringData, ringFromData } from './secret.ts';

const DAY = 86_400_000;
const now = Date.UTC(2026, 0, 1);
const make = () => createAuthority({ name: 'shop', now, lifetime: 365 * DAY });
const policy = { lifetime: 90 * DAY, overlap: 60_000 };
const ring: Ring = { authority: make() };
const request = { commonName: 'db', names: ['db'], usages: ['server'], now, lifetime: DAY } as const;
const leaf = { pair: issueLeaf(ring.authority, request), bundle: bundleOf(ring) };
const decoded = (text: string | undefined) => Buffer.from(text ?? '', 'base64').toString('utf8');

it('a ring comes back as it was, in each of its states', () => {
  const begun = take('begin', ring, policy, now, make);
  const announced = take('announce', begun, policy, now, make);
  const promoted = take('promote', announced, policy, now, make);
  const settled = take('settle', promoted, policy, now, make);
  const twice = take('promote', take('begin', promoted, policy, now, make), policy, now, make);
  expect(twice.previous?.certificates).toHaveLength(2);
  for (const state of [ring, begun, announced, promoted, settled, twice]) {
    const back = ringFromData(ringData(state)) ?? expect.unreachable();
    expect(back).toEqual(state);
    expect(back.authority.exportKey()).toBe(state.authority.exportKey());
  }
});

it('the old authority leaves its key behind when it is replaced', () => {
  const promoted = take('promote', take('begin', ring, policy, now, make), policy, now, make);
  const texts = Object.values(ringData(promoted)).map(decoded).join('');
  expect(texts).toContain(ring.authority.pem);
  expect(texts).not.toContain(ring.authority.exportKey());
});

it('a leaf is laid out as kubernetes.io/tls, without the key of its authority', () => {
  const data = leafData(leaf);
  expect(Object.keys(data)).toEqual(['tls.crt', 'tls.key', 'ca.crt']);
  expect(decoded(data['ca.crt'])).toBe(ring.authority.pem);
  expect(leafFromData(data)).toEqual(leaf);
});

it('what somebody has edited is none', () => {
  const data = ringData(ring);
  const other = ringData({ authority: make() });
  for (const broken of [
    undefined,
    {},
    { ...data, 'ca.crt': 'bm9uZQ==' },
    { ...data, 'ca.key': other['ca.key'] ?? '' },
    { ...data, 'previous-ca.crt': data['ca.crt'] ?? '', 'previous-ca-until': 'eA==' },
    { ...data, 'next-ca.crt': data['ca.crt'] ?? '' },
  ]) {
    expect(ringFromData(broken)).toBeUndefined();
  }
  expect(leafFromData(undefined)).toBeUndefined();
  expect(leafFromData({ ...leafData(leaf), 'ca.crt': '' })).toBeUndefined();
  expect(leafFromData({ ...leafData(leaf), 'tls.key': data['ca.key'] ?? '' })).toBeUndefined();
});
