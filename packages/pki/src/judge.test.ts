import { expect, it } from 'vitest';
import { createAuthority, issueLeaf } from './issue.ts';
import { judge } from './judge.ts';

const DAY = 86_400_000;
const now = Date.UTC(2026, 5, 1);
const authority = createAuthority({ name: 'shop', now, lifetime: 30 * DAY });
const other = createAuthority({ name: 'shop', now, lifetime: 30 * DAY });
const request = { commonName: 'db', names: ['db.shop.svc', '*.db.shop.svc', '10.0.0.1'], lifetime: DAY, now };
const { certificate } = issueLeaf(authority, { ...request, usages: ['server'] });
const good = { bundle: other.pem + authority.pem, now, usage: 'server', name: 'db.shop.svc' } as const;

it('has nothing to say of a certificate that is right', () => {
  for (const name of ['db.shop.svc', 'a.db.shop.svc', '10.0.0.1']) {
    expect(judge(certificate, { ...good, name })).toEqual([]);
  }
});

it.each([
  ['an authority that nobody trusts', { bundle: other.pem }, ['untrusted']],
  ['nobody who is trusted', { bundle: '' }, ['untrusted']],
  ['itself as the authority', { bundle: certificate.pem }, ['untrusted']],
  ['a day too late', { now: now + 2 * DAY }, ['expired']],
  ['a day too early', { now: now - DAY }, ['not-yet-valid', 'not-yet-valid']],
  ['another name', { name: 'web.shop.svc' }, ['wrong-name']],
  ['another address', { name: '10.0.0.2' }, ['wrong-name']],
  ['its common name, which no server has any more', { name: 'db' }, ['wrong-name']],
  ['another usage', { usage: 'client' }, ['wrong-usage']],
  [
    'everything at once',
    { bundle: '', now: 0, name: 'x', usage: 'client' },
    ['untrusted', 'not-yet-valid', 'wrong-usage', 'wrong-name'],
  ],
] as const)('refuses %s', (_, changes, codes) => {
  expect(judge(certificate, { ...good, ...changes }).map(({ code }) => code)).toEqual(codes);
});
