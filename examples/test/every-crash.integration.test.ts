// An operator that is killed at each of its writes: one that survives it, and one with a bug that only a crash shows.
import { ConfigMap } from '@kurator/sdk';
import { type CrashScenario, type CrashWorld, eventually, everyCrash } from '@kurator/testenv';
import { expect, it } from 'vitest';
import { Coupon } from '../src/random-names.ts';

const couponIn = ({ namespace }: CrashWorld) => ({ name: 'half', namespace });

async function isOffered(world: CrashWorld, discount: string): Promise<void> {
  const { client, namespace } = world;
  const look = async () => {
    const { status } = await client.get(Coupon, couponIn(world));
    const offer = await client.get(ConfigMap, { name: status?.secret ?? '', namespace });
    expect(offer.data).toEqual({ discount });
  };
  await eventually(look, { timeout: '120s' });
}

const made: CrashScenario = {
  async run(world) {
    await world.client.create(Coupon, { metadata: couponIn(world), spec: { discount: 50 } });
    await isOffered(world, '50');
  },
};

const madeAndChanged: CrashScenario = {
  async run(world) {
    await made.run(world);
    await world.client.patch(Coupon, couponIn(world), { spec: { discount: 60 } });
    await isOffered(world, '60');
  },
  async always({ client, namespace }) {
    expect((await client.list(ConfigMap, { namespace })).items.length).toBeLessThan(2);
  },
};

it('finds that a name which was written down first survives every crash', { timeout: 600_000 }, async () => {
  const careful = import.meta.resolve('./programs/coupons.ts');
  const report = await everyCrash(careful, madeAndChanged, { share: 0.4 });
  expect(report.results.map(({ outcome }) => outcome)).toEqual(Array(5).fill('passed'));
});

it('finds that a name which was written down afterwards is drawn twice', { timeout: 600_000 }, async () => {
  const careless = import.meta.resolve('./programs/careless-coupons.ts');
  const found = await everyCrash(careless, made, { name: 'careless', settling: '2s' }).catch((error) => error);
  expect(found).toMatchObject({ code: 'KUR_TESTENV_CRASH' });
  expect(found.message).toMatch(/^apply configmaps\/half-\* #1 +ok +FAILED +FAILED$/m);
  expect(found.message).toContain('ConfigMap half-*: there are 2, not 1');
  expect(found.message).toContain("again: KURATOR_CRASH='careless: during apply configmaps/half-* #1' npm run ");
  expect(found.message).toContain('examples/test/every-crash.integration.test.ts');
});
