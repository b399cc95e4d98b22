/** Story 10: dependants who say nothing or no, people who can't be reached, and one who deploys in the middle. */
import type { Incident } from '@kurator/operator-kurator';
import { Deployment, type Pod } from '@kurator/sdk';
import { eventually } from '@kurator/testenv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HealerWorld, hung, type ReceivedAlert } from '../support/healer/healer-world.ts';
import { HookServer } from '../support/healer/hook-server.ts';
import { answering, workload } from '../support/healer/services.ts';
import { patiently } from '../support/kubectl.ts';

describe('story 10', () => {
  type Status = NonNullable<Incident['status']>;

  let world: HealerWorld;
  /** Takes every question, and never answers. */
  let mute: HookServer;
  /** Says no. */
  let loath: HookServer;
  /** Those that hang, by service. */
  const ill = new Map<string, Pod>();
  const measured: Record<string, number> = {};
  /** How long people can't be told; KURATOR_SINK_MINUTES=10 makes it as long as you like. */
  const unreachableFor = process.env.KURATOR_SINK_MINUTES ? Number(process.env.KURATOR_SINK_MINUTES) * 60_000 : 25_000;
  let back: NodeJS.Timeout | undefined;

  /** What each of them does about a dependant that says nothing, or no. */
  const policies = {
    waits: { deadline: '8s', onSilence: 'proceed' },
    'gives-up': { deadline: '8s', onSilence: 'handOver' },
    obeys: { deadline: '5m', onRefusal: 'handOver' },
    insists: { deadline: '5m', onRefusal: 'proceed' },
    deployed: { deadline: '5m' },
  } as const;
  const services = Object.keys(policies);

  beforeAll(async () => {
    world = await HealerWorld.open('e2e-story-10');
    [mute, loath] = await Promise.all([HookServer.open(world.host), HookServer.open(world.host)]);
    mute.answer = undefined;
    loath.answer = 409;
    for (const [name, coordination] of Object.entries(policies)) {
      const recovery = name === 'deployed' ? { yieldFor: '5s' } : {};
      await world.adopt('Deployment', name, { coordination, recovery }, { replicas: 2 });
    }
    const dependant = (name: string, { url }: HookServer, dependsOn: string[]) =>
      world.adopt('Deployment', name, { dependsOn, coordination: { hook: { url, timeout: '1s' } } }, { replicas: 1 });
    await dependant('mute', mute, ['waits', 'gives-up', 'deployed']);
    await dependant('loath', loath, ['obeys', 'insists']);
    await Promise.all(['mute', 'loath', ...services].map((name) => world.untilHealthy(name)));
    await world.remember();
    // For a while nobody can be told anything: the first alert is taken and not acknowledged, the next ones are refused.
    world.sink.next = [() => {}];
    world.sink.otherwise = 503;
    back = setTimeout(() => {
      world.sink.otherwise = 200;
    }, unreachableFor);
  });

  afterAll(async () => {
    clearTimeout(back);
    console.log('seconds:', measured);
    await Promise.all([mute, loath].map((hook) => hook?.[Symbol.asyncDispose]()));
    await world?.[Symbol.asyncDispose]();
  });

  /** One of two hangs. */
  async function hang(service: string) {
    const { ill: pod } = await world.illAndWell(service);
    ill.set(service, pod);
    return { pod, fault: await world.cluster.faults.freeze({ pod }) };
  }

  function stageAt({ stages = [] }: Status, stage: string): number {
    return Date.parse(stages.find((one) => one.stage === stage)?.at ?? '');
  }

  const stagesOf = ({ stages = [] }: Status) => stages.map(({ stage }) => stage);

  describe('a dependant', () => {
    it.concurrent('that never answers is waited for until the deadline, and no longer', async () => {
      const { pod } = await hang('waits');
      const status = await world.untilStage('waits-1', 'closed');
      expect(status).toMatchObject({ cause: hung, actions: [{ step: 'replace', targets: [pod.metadata.name] }] });
      const waited = stageAt(status, 'repairing') - stageAt(status, 'tellingDependants');
      measured['waited for an answer, of 8'] = waited / 1000;
      expect(waited).toBeGreaterThanOrEqual(8000);
      expect(waited).toBeLessThan(60_000);
      expect(await world.evictionsOf(pod)).toHaveLength(1);
    });

    it.concurrent('that never answers makes it a person’s turn, where that is the policy', async () => {
      const { pod, fault } = await hang('gives-up');
      const status = await world.untilStage('gives-up-1', 'handedOver');
      expect(status.summary).toContain('default/mute did not answer in time');
      const waited = stageAt(status, 'handedOver') - stageAt(status, 'tellingDependants');
      expect(waited).toBeGreaterThanOrEqual(8000);
      await fault.heal();
      expect(await world.untilStage('gives-up-1', 'closed')).toMatchObject({ actions: [] });
      expect(await world.evictionsOf(pod)).toEqual([]);
    });

    it.concurrent('that refuses is obeyed, and a person called', async () => {
      const { pod, fault } = await hang('obeys');
      const status = await world.untilStage('obeys-1', 'handedOver');
      expect(status.summary).toContain('default/loath refused the repair');
      await fault.heal();
      expect(await world.untilStage('obeys-1', 'closed')).toMatchObject({ actions: [] });
      expect(await world.evictionsOf(pod)).toEqual([]);
    });

    it.concurrent('that refuses is overruled, where that is the policy', async () => {
      const { pod } = await hang('insists');
      const status = await world.untilStage('insists-1', 'closed');
      expect(status).toMatchObject({ cause: hung, actions: [{ step: 'replace', targets: [pod.metadata.name] }] });
      expect(loath.asked).toContainEqual(expect.objectContaining({ phase: 'before', incident: 'default/insists#1' }));
      expect(await world.evictionsOf(pod)).toHaveLength(1);
    });
  });

  describe('a person', () => {
    it.concurrent('who deploys in the middle is given way to, and nothing of it is overwritten', async () => {
      const { pod } = await hang('deployed');
      await world.untilStage('deployed-1', 'tellingDependants');
      const script = `${answering} -v`;
      const { template } = workload('deployed', { script }).spec;
      const reference = { name: 'deployed', namespace: 'default' };
      await world.client.patch(Deployment, reference, { spec: { template } });
      const deployed = Date.now();
      const status = await world.untilStage('deployed-1', 'closed');
      expect(stagesOf(status)).toContain('yielded');
      measured['until it yielded'] = (stageAt(status, 'yielded') - deployed) / 1000;
      // What hung went with the deploy: nobody had to do anything about it.
      expect(status.actions).toEqual([]);
      expect(await world.evictionsOf(pod)).toEqual([]);
      const { spec } = await world.client.get(Deployment, reference);
      expect(spec?.template.spec?.containers[0]?.command).toContain(script);
    });
  });

  it(
    'tells everything in order once people can be reached, and nothing more than twice',
    async () => {
      const incidents = await Promise.all(services.map((name) => world.untilStage(`${name}-1`, 'closed')));
      const told = (service: string) => withoutRepeats(world.alertsOf(service)).flatMap(({ lines }) => lines);
      await eventually(
        async () => {
          for (const [index, service] of services.entries()) {
            const reasons = incidents[index]?.stages?.map(({ reason }) => reason) ?? [];
            const heard = told(service).flatMap((line) => reasons.find((reason) => isAbout(line, reason)) ?? []);
            expect(heard, service).toEqual(reasons);
          }
        },
        { ...patiently, timeout: unreachableFor + 300_000 },
      );
      const all = world.sink.received.map(({ body }) => JSON.parse(body) as ReceivedAlert & { at: string });
      const taken = world.sink.taken.map(({ body }) => JSON.parse(body) as ReceivedAlert & { at: string });
      const first = withoutRepeats(all);
      // The oldest first: as they were decided upon, so they came.
      for (const service of services) {
        const times = first.filter((alert) => alert.service === service).map(({ at }) => at);
        expect(times).toEqual(times.toSorted());
      }
      expect(withoutRepeats(taken).map(({ id }) => id)).toEqual(first.map(({ id }) => id));
      const times = (id: string) => taken.filter((alert) => alert.id === id).length;
      for (const { id } of first) expect(times(id), id).toBeLessThanOrEqual(2);
      const tries = all.filter(({ id }) => id === first[0]?.id).length;
      expect(tries).toBeGreaterThan(2);
    },
    unreachableFor + 400_000,
  );

  it('leaves everything as it should be', async () => {
    await world.expectHeld({ touched: [...ill.values()], changed: ['deployed'] });
  });

  /** `is not well: it hangs: …` is about what comes after its first colon, and about nothing that this may quote. */
  function isAbout(line: string, reason: string): boolean {
    return line.endsWith(`: ${reason}`) && !line.slice(0, -reason.length - 2).includes(':');
  }

  function withoutRepeats<A extends { id: string }>(alerts: readonly A[]): A[] {
    return alerts.filter(({ id }, index) => alerts.findIndex((one) => one.id === id) === index);
  }
});
