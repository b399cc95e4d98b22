import { X509Certificate } from 'node:crypto';
import { expect, it } from 'vitest';
import { createIssuer } from './issuer.ts';

const DAY = 86_400_000;
const now = Date.UTC(2026, 5, 1);
const issuer = createIssuer({ operator: 'shop', lifetime: 90 * DAY, authorityLifetime: 365 * DAY });

it('certifies a server for its names, by an authority that may do so and nothing else', async () => {
  const authority = await issuer.authority(now);
  const serving = await issuer.serving(authority, ['web.shop.svc', '127.0.0.1', '::1'], now);
  const [signer, signed] = [authority, serving].map(({ certificate }) => new X509Certificate(certificate));
  if (!signer || !signed) expect.unreachable();
  expect(signer.ca).toBe(true);
  expect(signed.ca).toBe(false);
  expect(signed.checkIssued(signer)).toBe(true);
  expect(signed.verify(signer.publicKey)).toBe(true);
  expect(signed.checkHost('web.shop.svc')).toBe('web.shop.svc');
  expect(signed.checkHost('other.shop.svc')).toBeUndefined();
  expect(signed.checkIP('127.0.0.1')).toBe('127.0.0.1');
  expect(signed.checkIP('::1')).toBe('::1');
  // Server authentication: a stolen key must not open other doors.
  expect(signed.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
});

it('dates certificates back a little, and never beyond their authority', async () => {
  const authority = await issuer.authority(now);
  expect(authority.from).toBe(now - 3_600_000);
  expect(authority.until).toBe(now + 365 * DAY);
  expect((await issuer.serving(authority, ['a'], now + 300 * DAY)).until).toBe(authority.until);
});

it('never gives two authorities the same name or key', async () => {
  const [a, b] = await Promise.all([issuer.authority(now), issuer.authority(now + 1)]);
  expect(new X509Certificate(a.certificate).subject).not.toBe(new X509Certificate(b.certificate).subject);
  expect(a.key).not.toBe(b.key);
});
