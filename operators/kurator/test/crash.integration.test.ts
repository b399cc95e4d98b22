/**
 * The healer, as the program that is deployed, killed before, during and after each of its writes while a service falls
 * ill and is repaired: it ends where it ends undisturbed, and nobody is replaced twice.
 */
import { installCrds, Pod, waitFor } from '@kurator/sdk';
import { type CrashScenario, type CrashWorld, eventually, everyCrash, sharedClient } from '@kurator/testenv';
import { beforeAll, expect, it } from 'vitest';
import { AlertChannel } from '../src/resources/alert-channel.ts';
import { Incident } from '../src/resources/incident.ts';
import { Kurator } from '../src/resources/kurator.ts';
import { KuratorSwitch } from '../src/resources/kurator-switch.ts';
import { quickRecovery } from './support/healing/healer-world.ts';
import { type StagedPod, stageService } from './support/healing/stage-service.ts';

/** The pods that a service began with, by namespace. */
const beginners = new Map<string, readonly string[]>();
const patience = { timeout: '150s' } as const;

async function podNames({ client, namespace }: CrashWorld): Promise<string[]> {
  const { items } = await client.list(Pod, { namespace });
  return items.map(({ metadata }) => metadata.name);
}

const scenario: CrashScenario = {
  async run(world) {
    const { client, namespace, signal } = world;
    const kurator = { name: 'web', namespace };
    const web = await stageService(client, namespace, 'web', 2);
    world.onEnd(() => web[Symbol.asyncDispose]());
    beginners.set(namespace, await web.podNames());
    await client.create(Kurator, {
      metadata: kurator,
      spec: {
        targetRef: { kind: 'Deployment', name: 'web' },
        checks: [],
        startupGrace: '0s',
        recovery: { ...quickRecovery, maxUnavailable: 2 },
        alerts: { groupWait: '0s' },
      } as never,
    });
    const isHealthy = ({ status }: Kurator) => status?.health === 'Healthy';
    await waitFor(client, Kurator, kurator, isHealthy, { timeout: 150_000, signal });
    await web.report(web.pods[0] as StagedPod, 'crashed');
    await eventually(
      async () => {
        await web.follow();
        const incident = await client.get(Incident, { name: 'web-1', namespace });
        expect(incident.status?.stage, incident.status?.summary).toBe('closed');
      },
      { ...patience, signal },
    );
    await waitFor(client, Kurator, kurator, isHealthy, { timeout: 150_000, signal });
  },

  async always(world) {
    const there = await podNames(world);
    const gone = (beginners.get(world.namespace) ?? []).filter((name) => !there.includes(name));
    expect(gone.length, 'pods that were replaced').toBeLessThan(2);
  },

  /** The story, without how long it took. */
  normalise({ kind, spec, status }) {
    if (kind === 'Pod') return {};
    if (kind === 'Deployment') return { spec } as object;
    if (kind === 'Kurator') {
      const { health, ready, lastIncident } = status as NonNullable<Kurator['status']>;
      return { health, ready, lastIncident };
    }
    if (kind !== 'Incident') return undefined;
    const { cause, stages, actions } = status as NonNullable<Incident['status']>;
    const done = actions?.map(({ step, outcome, targets }) => ({ step, outcome, targets: targets?.length }));
    return { cause, stages: stages?.map(({ stage }) => stage), done };
  },
};

beforeAll(async () => {
  await using client = await sharedClient();
  await installCrds(client, [Kurator, Incident, AlertChannel, KuratorSwitch]);
});

it('survives a crash at every write of a repair', { timeout: 900_000 }, async () => {
  const healer = { program: import.meta.resolve('../src/main.ts'), env: { KURATOR_ALLOW_ADDRESSES: '127.0.0.0/8' } };
  const report = await everyCrash(healer, scenario, { share: 0.1, concurrency: 6 });
  expect(report.writes).toContain('create pods/web-hash1-*/eviction #1');
});
