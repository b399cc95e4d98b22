import type { Client } from '@kurator/client';
import { expect, it } from 'vitest';
import type { WebhooksOptions } from '../options.ts';
import { mostInAll, settingsOf } from './settings.ts';

const options = (changes: Partial<WebhooksOptions> = {}): WebhooksOptions => ({
  client: {} as Client,
  name: 'shop',
  namespace: 'shop-system',
  address: { service: 'hooks' },
  ...changes,
});

it('has a default for all but who and where it is', () => {
  const { registrant, ...settings } = settingsOf(options());
  expect(settings).toEqual({
    host: undefined,
    port: 9443,
    drainDelay: 5_000,
    limits: { admission: 8 * 2 ** 20, conversion: 32 * 2 ** 20, connections: 512 },
    certificates: {
      secret: 'shop-webhooks',
      authorityLifetime: 365 * 86_400_000,
      lifetime: 90 * 86_400_000,
      overlap: 3_600_000,
    },
    names: ['hooks.shop-system.svc', 'hooks.shop-system.svc.cluster.local'],
  });
  expect(registrant(1).address).toEqual({ service: { name: 'hooks', namespace: 'shop-system', port: 443 } });
});

it('puts the port that is listened on into the URL, and the host into the certificate', () => {
  const { names, registrant, drainDelay } = settingsOf(
    options({ address: { url: (port) => `https://[::1]:${port}` } }),
  );
  expect(names).toEqual(['::1']);
  expect(registrant(4711).address).toEqual({ url: 'https://[::1]:4711' });
  expect(drainDelay).toBe(0);
});

it.each([
  { what: 'a name with a slash', changes: { name: 'example.com/shop' }, says: 'name: ' },
  { what: 'no namespace', changes: { namespace: '' }, says: 'namespace: ' },
  { what: 'no service', changes: { address: { service: '' } }, says: 'address.service: ' },
  { what: 'plain HTTP', changes: { address: { url: 'http://127.0.0.1' } }, says: 'address.url: ' },
  { what: 'a path in the URL', changes: { address: { url: 'https://127.0.0.1/x' } }, says: 'address.url: ' },
  { what: 'no URL', changes: { address: { url: 'webhooks' } }, says: 'address.url: ' },
  { what: 'a long overlap', changes: { certificates: { overlap: '61d' } }, says: 'certificates.overlap: ' },
  { what: 'a long lifetime', changes: { certificates: { lifetime: '366d' } }, says: 'certificates.lifetime: ' },
])('names the option that makes no sense: $what', ({ changes, says }) => {
  expect(() => settingsOf(options(changes))).toThrow(
    expect.objectContaining({ code: 'KUR_RUNTIME_INVALID_OPTION', message: expect.stringContaining(says) }),
  );
});

it.each([
  { served: 'nothing', limits: [], most: 0 },
  { served: 'admission', limits: [8, 8], most: 16 },
  { served: 'conversion too', limits: [8, 32], most: 32 },
  { served: 'conversion of more than usual', limits: [8, 100], most: 100 },
])('holds at most $most MiB where $served is served', ({ limits, most }) => {
  expect(mostInAll(limits.map((limit) => limit * 2 ** 20))).toBe(most * 2 ** 20);
});
