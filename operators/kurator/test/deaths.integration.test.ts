/**
 * The operator dies before and after every single write of a repair, on the real API server: the next one comes to the
 * same end, and no action is taken twice. What can be left behind is what the API server has at that moment, so this is
 * every state that a death can leave.
 */
import { type Client, Pod } from '@kurator/sdk';
import { eventually } from '@kurator/testenv';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { clusterDefaults } from '../src/brain/spec-defaults.ts';
import type { ServiceRecord } from '../src/memory/service-record.ts';
import { Incident } from '../src/resources/incident.ts';
import { Kurator } from '../src/resources/kurator.ts';
import { type HealerWorld, healerWorld } from './support/healing/healer-world.ts';
import { type Death, Ledger } from './support/healing/mortal-client.ts';
import type { StagedPod, StagedService } from './support/healing/stage-service.ts';

interface Repair {
  /** No repair has more writes than this, which is checked. */
  readonly writes: number;
  /** What befalls the service. */
  befall(service: StagedService): Promise<unknown>;
  /** What goes on while it is repaired, besides what its controller does. */
  meanwhile?(service: StagedService): Promise<unknown>;
  readonly spec?: Record<string, unknown>;
  readonly cause: string;
  readonly step: string;
  /** What is done, each of them once. */
  readonly deeds: (pods: readonly StagedPod[]) => string[];
}

const evictionOf = ({ name }: StagedPod) => `Pod/eviction ${name}`;

// A restart is replacements in waves; two that fall ill at the same instant can't be staged, and the simulation has them.
const repairs: Record<string, Repair> = {
  replace: {
    writes: 20,
    befall: (service) => service.report(service.pods[0] as StagedPod, 'crashed'),
    cause: 'crash-loop',
    step: 'replace',
    deeds: (pods) => pods.slice(0, 1).map(evictionOf),
  },
  rollback: {
    writes: 32,
    async befall(service) {
      const old = await service.podNames();
      await service.deploy('web:broken', 'alice');
      for (const _ of old) await service.addPod({ crashing: true });
      for (const name of old) await client.delete(Pod, { name, namespace: round.namespace });
    },
    cause: 'bad-revision',
    step: 'rollback',
    deeds: () => ['Deployment'],
  },
  scale: {
    writes: 20,
    befall: (service) => service.report(service.pods[0] as StagedPod, 'outOfMemory'),
    async meanwhile(service) {
      const there = await service.podNames();
      if (there.length > 2) await service.report(service.pods[0] as StagedPod, 'running');
    },
    spec: {
      scaling: { max: 3, targets: [{ latency: '10s' }] },
      recovery: { steps: { kubernetes: { enabled: false } } },
    },
    cause: 'oom',
    step: 'scale',
    deeds: () => ['Deployment'],
  },
};

/** Nobody is held up by what befalls the others. */
const roomy = {
  ...clusterDefaults,
  concurrent: 1000,
  budget: { repairs: 10_000, per: 3_600_000 },
  storm: { ...clusterDefaults.storm, services: 10_000 },
};
const patience = { timeout: '100s' } as const;

let round: HealerWorld;
let client: Client;
beforeEach(async () => {
  round = await healerWorld();
  client = round.client;
});
afterEach(async () => await round[Symbol.asyncDispose]());

function deathsOf(prefix: string, writes: number): Map<string, Death> {
  const deaths = Array.from({ length: 2 * writes }, (_, index): [string, Death] => {
    const when = index % 2 === 0 ? 'before' : 'after';
    const at = 1 + Math.floor(index / 2);
    return [`${prefix}${at}${when}`, { at, when }];
  });
  return new Map(deaths);
}

async function isClosed(name: string): Promise<boolean> {
  const incident = await client.find(Incident, { name: `${name}-1`, namespace: round.namespace });
  return incident?.status?.stage === 'closed';
}

/** Plays the controllers of all services until a condition holds. */
async function until(
  services: readonly StagedService[],
  { meanwhile }: Repair,
  holds: (name: string) => Promise<boolean>,
) {
  let left = services;
  await eventually(async () => {
    await Promise.all(left.map((service) => service.follow()));
    await Promise.all(left.map((service) => meanwhile?.(service)));
    const held = await Promise.all(left.map(async (service) => !(await holds(service.name))));
    left = left.filter((_, index) => held[index]);
    expect(left.map(({ name }) => name)).toEqual([]);
  }, patience);
}

describe.each(Object.entries(repairs))('an operator that dies at any write of a %s', (prefix, repair) => {
  it('is followed by one that comes to the same end, and does nothing twice', { timeout: 300_000 }, async () => {
    const deaths = deathsOf(prefix, repair.writes);
    const names = [...deaths.keys(), `${prefix}undisturbed`];
    const services: StagedService[] = [];
    for (const name of names) services.push(await round.stage(name, 2));
    const { recovery = {}, ...spec } = repair.spec ?? {};
    for (const name of names) {
      await round.adopt(name, { checks: [], recovery: { maxUnavailable: 2, ...(recovery as object) }, ...spec });
    }
    const ledger = new Ledger();
    const first = await round.start(ledger.client(client, deaths), { cluster: roomy });
    await eventually(async () => {
      const { items } = await client.list(Kurator, { namespace: round.namespace });
      const memories = items.map(({ status }) => status?.memory as unknown as ServiceRecord | undefined);
      expect(memories.filter((memory) => memory?.history.revisions.healthy.length === 1)).toHaveLength(names.length);
    }, patience);

    const before = new Map(services.map(({ name, pods }) => [name, [...pods]]));
    ledger.begin(names);
    await Promise.all(services.map((service) => repair.befall(service)));
    await until(services, repair, async (name) => ledger.deaths.has(name) || (await isClosed(name)));
    const dead = first.stop().catch(() => {});
    await round.start(ledger.client(client), { cluster: roomy });
    await until(services, repair, isClosed);

    expect(ledger.asked(`${prefix}undisturbed`)).toBeLessThan(repair.writes);
    const expected = await endOf(`${prefix}undisturbed`);
    expect(expected).toMatchObject({ cause: repair.cause, steps: [`${repair.step} done`] });
    for (const name of names) {
      const how = `${name}, which died ${ledger.deaths.get(name) ?? 'not at all'}`;
      expect(await endOf(name), how).toEqual(expected);
      const done = ledger.of(name).filter(({ what }) => what === 'Pod/eviction' || what === 'Deployment');
      const wanted = repair.deeds(before.get(name) ?? []);
      const told = done.map(({ what, object }) => (what === 'Deployment' ? what : `${what} ${object}`));
      expect(told.toSorted(), how).toEqual(wanted.toSorted());
    }
    await dead;
  });
});

/** What a repair has come to, without names and times. */
async function endOf(name: string) {
  const { items } = await client.list(Incident, { namespace: round.namespace });
  const { status } = await round.incident(`${name}-1`);
  return {
    incidents: items.filter(({ spec }) => spec.service === name).length,
    cause: status?.cause,
    stages: status?.stages?.map(({ stage }) => stage),
    steps: status?.actions?.map(({ step, outcome }) => `${step} ${outcome}`),
    targets: status?.actions?.map(({ targets }) => targets?.length),
  };
}
