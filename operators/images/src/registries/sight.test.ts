// What registries do, on loopback: how often they are asked, and what is made of what they say.
import { createRegistryClient, type RegistryClient } from '@kurator/registry';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeRegistry } from '../../test/support/fake-registry.ts';
import type { ImageUpdate } from '../resources.ts';
import { Looks } from './looks.ts';
import { see } from './sight.ts';

const nobody = { source: undefined, fingerprint: 'nobody', whose: 'asked without a log-in' };
const update = (policy: ImageUpdate['spec']['policy'], filter?: ImageUpdate['spec']['filter']) =>
  ({ spec: { policy, ...(filter ? { filter } : {}) } }) as ImageUpdate;
const semver = update({ semver: { range: '*' } });
const interval = 60_000;

let registry: FakeRegistry;
let client: RegistryClient;
let looks: Looks;
let image: string;

beforeEach(async () => {
  registry = new FakeRegistry();
  await registry.open();
  for (const tag of ['1.0.0', '1.1.0', '0.9.0']) registry.push(tag);
  client = createRegistryClient({ patience: 0 });
  looks = new Looks(client);
  image = `${registry.host}/demo/web:1.0.0`;
});
afterEach(async () => {
  await client.close();
  await registry.close();
});

describe('a look', () => {
  it('is one for all who ask in an interval', async () => {
    const all = await Promise.all(
      Array.from({ length: 20 }, () => see(semver, image, { looks, logIns: nobody, interval, now: 0 })),
    );
    await see(semver, image, { looks, logIns: nobody, interval, now: interval - 1 });
    expect(registry.asked).toEqual(['GET /v2/demo/web/tags/list?n=1000', 'HEAD /v2/demo/web/manifests/1.1.0']);
    expect(all[19]?.sight).toEqual({ is: 'known', newer: [{ tag: '1.1.0', digest: registry.tags.get('1.1.0') }] });
    await see(semver, image, { looks, logIns: nobody, interval, now: interval });
    expect(registry.asked).toHaveLength(4);
  });

  it('shows nothing to those who have other log-ins', async () => {
    await see(semver, image, { looks, logIns: nobody, interval, now: 0 });
    await see(semver, image, { looks, logIns: { ...nobody, fingerprint: 'somebody' }, interval, now: 0 });
    expect(registry.asked).toHaveLength(4);
  });

  it('costs ten repositories of a thousand tags one question each where nothing is new', async () => {
    for (let i = 0; i < 1000; i++) registry.push(`0.0.${i}`);
    registry.tags.delete('1.1.0');
    for (let i = 0; i < 10; i++) {
      const { sight } = await see(semver, `${registry.host}/demo/web-${i}:1.0.0`, {
        looks,
        logIns: nobody,
        interval,
        now: 0,
      });
      expect(sight).toEqual({ is: 'known', newer: [] });
    }
    expect(registry.asked).toHaveLength(10);
  });

  it('asks for the newest five at most', async () => {
    for (let i = 2; i < 20; i++) registry.push(`1.${i}.0`);
    const { sight } = await see(semver, image, { looks, logIns: nobody, interval, now: 0 });
    expect(sight.is === 'known' && sight.newer.map(({ tag }) => tag)).toEqual([
      '1.19.0',
      '1.18.0',
      '1.17.0',
      '1.16.0',
      '1.15.0',
    ]);
    expect(registry.asked).toHaveLength(6);
  });

  it('of a tag that is followed is one HEAD', async () => {
    const stable = update({ digest: { tag: '1.0.0' } });
    const { sight } = await see(stable, image, { looks, logIns: nobody, interval, now: 0 });
    expect(sight).toMatchObject({ is: 'known', newer: [{ tag: '1.0.0' }] });
    expect(registry.asked).toEqual(['HEAD /v2/demo/web/manifests/1.0.0']);
    const other = update({ digest: { tag: 'stable' } });
    expect((await see(other, image, { looks, logIns: nobody, interval, now: 0 })).sight).toMatchObject({
      why: expect.stringContaining('set the image to that tag, once'),
    });
  });

  it('takes what was built last, and asks each tag once', async () => {
    registry.build('1.0.0', '2026-01-01T00:00:00Z');
    registry.build('1.1.0', '2025-01-01T00:00:00Z');
    registry.build('0.9.0', '2026-02-01T00:00:00Z');
    const newest = update({ newestBuild: {} });
    const { sight } = await see(newest, image, { looks, logIns: nobody, interval, now: 0 });
    expect(sight).toEqual({ is: 'known', newer: [{ tag: '0.9.0', digest: registry.tags.get('0.9.0') }] });
    const asked = registry.asked.length;
    await see(newest, image, { looks, logIns: nobody, interval, now: interval });
    expect(registry.asked.slice(asked)).toEqual([
      'GET /v2/demo/web/tags/list?n=1000',
      'HEAD /v2/demo/web/manifests/0.9.0',
    ]);
  });
});

describe('trouble', () => {
  it.each([
    [
      'a refusal',
      { status: 401, headers: { 'www-authenticate': 'Basic realm="x"' } },
      'Denied',
      /asked without a log-in/,
    ],
    ['a repository that is not there', { status: 404 }, 'NotFound', /demo\/web/],
    ['a fault of its own', { status: 400 }, 'RegistryTrouble', /./],
    ['what is no list', { body: '{"tags": 7}' }, 'BadContent', /list of tags/],
    ['a page for people', { body: '<html>' }, 'BadContent', /./],
  ])('such as %s is told, and nothing follows', async (_, answer, reason, message) => {
    registry.trouble = () => answer;
    const { sight, trouble, again } = await see(semver, image, { looks, logIns: nobody, interval, now: 0 });
    expect(sight).toMatchObject({ is: 'unknown', why: expect.stringMatching(message) });
    expect(trouble).toMatchObject({ reason });
    expect(again).toBe(interval);
    const asked = registry.asked.length;
    await see(semver, image, { looks, logIns: nobody, interval, now: 1000 });
    expect(registry.asked).toHaveLength(asked);
  });

  it('of a host that wants to be left alone ends when that says so', async () => {
    registry.trouble = () => ({ status: 429, headers: { 'retry-after': '3600' } });
    const now = Date.now();
    const { trouble, again } = await see(semver, image, { looks, logIns: nobody, interval, now });
    expect(trouble?.reason).toBe('RateLimited');
    expect(again - now).toBeGreaterThan(3_500_000);
    const asked = registry.asked.length;
    await see(semver, `${registry.host}/demo/other:1.0.0`, { looks, logIns: nobody, interval, now });
    await see(semver, image, { looks, logIns: nobody, interval, now: now + interval });
    expect(registry.asked).toHaveLength(asked);
  });

  it('that passes is soon asked again, though the interval is long', async () => {
    await registry.close();
    const long = { looks, logIns: nobody, interval: 3_600_000 };
    const { trouble, again } = await see(semver, image, { ...long, now: 0 });
    expect(trouble?.reason).toBe('Unreachable');
    expect(again).toBe(60_000);
    await registry.open(Number(registry.host.split(':')[1]));
    expect((await see(semver, image, { ...long, now: 60_000 })).sight.is).toBe('known');
  });

  it('with a list without an end is bounded', async () => {
    let page = 0;
    registry.trouble = () => ({
      headers: { link: `</v2/demo/web/tags/list?n=1000&last=${page++}>; rel="next"` },
      body: JSON.stringify({ tags: ['1.0.0'] }),
    });
    expect((await see(semver, image, { looks, logIns: nobody, interval, now: 0 })).trouble?.reason).toBe('BadContent');
    expect(page).toBeLessThan(10);
  });

  it('with too many builds says how to have fewer', async () => {
    for (let i = 0; i < 300; i++) registry.push(`2.0.${i}`);
    const { sight } = await see(update({ newestBuild: {} }), image, { looks, logIns: nobody, interval, now: 0 });
    expect(sight).toMatchObject({ is: 'unknown', why: expect.stringContaining('narrow spec.filter to 200') });
    expect(registry.asked).toHaveLength(1);
  });
});
