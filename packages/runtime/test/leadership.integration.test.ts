import { type Client, ConfigMap, createClient, Lease, microTime, waitFor } from '@kurator/client';
import { sharedClient, testNamespace } from '@kurator/testenv';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createLeaderElection, type LeaderElectionOptions } from '../src/leadership/election.ts';
import { startFaultyProxy } from './support/faulty-proxy.ts';
import { startProgram } from './support/program.ts';

/** Renewed often, and not lost by a machine that is busy for a while. */
const lasting = { leaseDuration: 60_000, renewDeadline: 40_000, retryPeriod: 300 };

async function setUp() {
  const client = await sharedClient();
  const end = new AbortController();
  onTestFinished(async () => {
    end.abort();
    await client.close();
  });
  const lease = { name: 'operator', namespace: await testNamespace(client, 'lead') };
  const candidate = (options: Partial<LeaderElectionOptions> = {}) =>
    createLeaderElection({ client, lease, ...lasting, ...options });
  return { client, lease, candidate, signal: end.signal };
}

describe('leader election on a real API server', () => {
  it('hands over within a moment when the lease is given back', async () => {
    const { client, lease, candidate, signal } = await setUp();
    // So slow to look and to expire that only the watch can tell.
    const slow = { leaseDuration: 60_000, renewDeadline: 40_000, retryPeriod: 20_000 };
    const [a, b] = [candidate(slow), candidate(slow)];
    const first = await a.campaign(signal);
    const following = b.campaign(signal);
    expect(await client.get(Lease, lease)).toMatchObject({
      spec: { holderIdentity: a.identity, leaseTransitions: 0, leaseDurationSeconds: 60 },
    });
    await waitFor(client, Lease, lease, () => b.state().holder === a.identity);
    await first.release();
    const second = await following;
    expect(second.term).toBe(1);
    expect([a.isLeader(), b.isLeader()]).toEqual([false, true]);
    expect(await client.get(Lease, lease)).toMatchObject({ spec: { holderIdentity: b.identity, leaseTransitions: 1 } });
    await second.release();
    expect((await client.get(Lease, lease)).spec).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1 });
  });

  it('keeps what others wrote into the Lease', async () => {
    const { client, lease, candidate, signal } = await setUp();
    await client.create(Lease, { metadata: { ...lease, labels: { team: 'blue' } }, spec: {} });
    const leadership = await candidate().campaign(signal);
    await client.patch(Lease, lease, { metadata: { annotations: { note: 'hands off' } } });
    const renewed = (await client.get(Lease, lease)).spec?.renewTime;
    const after = await waitFor(client, Lease, lease, ({ spec }) => spec?.renewTime !== renewed);
    expect(after.metadata).toMatchObject({ labels: { team: 'blue' }, annotations: { note: 'hands off' } });
    expect(leadership.isLeader()).toBe(true);
    leadership.abandon();
  });

  it('loses to whoever writes himself into the Lease', async () => {
    const { client, lease, candidate, signal } = await setUp();
    const leadership = await candidate().campaign(signal);
    const lost = new Promise((resolve) => leadership.signal.addEventListener('abort', resolve));
    await client.patch(Lease, lease, { spec: { holderIdentity: 'usurper' } });
    await lost;
    expect(leadership.signal.reason).toMatchObject({ message: expect.stringContaining('usurper has taken it') });
  });

  it('lets one of many win', async () => {
    const { candidate, signal } = await setUp();
    const candidates = Array.from({ length: 8 }, () => candidate());
    const wins = candidates.map((each) => each.campaign(signal).catch(() => undefined));
    const winner = await Promise.race(wins);
    expect(candidates.filter((each) => each.isLeader())).toHaveLength(1);
    winner?.abandon();
  });
});

describe('a leader behind a bad network', () => {
  const behindProxy = async () => {
    const { client, lease, candidate, signal } = await setUp();
    const proxy = await startFaultyProxy(client.config);
    const far = createClient(proxy.config);
    onTestFinished(async () => {
      await far.close();
      await proxy.close();
    });
    return { client, lease, proxy, candidate, signal, leader: candidate({ client: far, ...patient }) };
  };
  const patient = { leaseDuration: 8_000, renewDeadline: 6_000, retryPeriod: 300 };

  it('outlives a connection that swallows everything', async () => {
    const { client, lease, proxy, leader, signal } = await behindProxy();
    const leadership = await leader.campaign(signal);
    proxy.stall();
    const outlived = microTime(Date.now() + patient.leaseDuration);
    await waitFor(client, Lease, lease, ({ spec }) => (spec?.renewTime ?? '') > outlived);
    expect(leadership.isLeader()).toBe(true);
    expect(leadership.term).toBe(0);
    leadership.abandon();
  });

  it('stops when it is cut off, before another takes over', async () => {
    const { proxy, leader, candidate, signal } = await behindProxy();
    const leadership = await leader.campaign(signal);
    const other = candidate(patient);
    const winning = other.campaign(signal);
    await expect.poll(() => other.state().holder).toBe(leader.identity);
    proxy.refuse(true);
    proxy.cut();
    const ended = new Promise<number>((resolve) =>
      leadership.signal.addEventListener('abort', () => resolve(performance.now())),
    );
    const second = await winning;
    const takenAt = performance.now();
    expect(leadership.signal.reason).toMatchObject({ code: 'KUR_RUNTIME_LEADERSHIP_LOST' });
    expect(takenAt - (await ended)).toBeGreaterThan(0);
    second.abandon();
  });
});

interface Act {
  readonly version: bigint;
  readonly kind: 'Lease' | 'ConfigMap';
  readonly by: string;
  readonly term: number;
}

describe('two replicas of which one is frozen and thawed', () => {
  it('never act both: each write of the counter is made by the holder of the lease', { timeout: 90_000 }, async () => {
    const client = await sharedClient();
    const namespace = await testNamespace(client, 'fence');
    const counter = { name: 'counter', namespace };
    await client.create(ConfigMap, { metadata: counter, data: { count: '0' } });
    const end = new AbortController();
    const acts: Act[] = [];
    const recording = record(client, namespace, acts, end.signal);
    const replica = (identity: string) =>
      startProgram('fenced-counter-process', [namespace, identity], end.signal).child;
    const replicas = new Map(['a', 'b'].map((identity) => [identity, replica(identity)]));
    onTestFinished(async () => {
      end.abort();
      await recording;
      await client.close();
    });

    const countedBy = async (condition: (by: string) => boolean, more: number) => {
      const now = await waitFor(client, ConfigMap, counter, ({ data }) => condition(data?.by ?? ''));
      const target = Number(now.data?.count) + more;
      return (await waitFor(client, ConfigMap, counter, ({ data }) => Number(data?.count) >= target)).data?.by ?? '';
    };
    for (let round = 0; round < 4; round++) {
      const leader = await countedBy((by) => by !== '', 50);
      replicas.get(leader)?.kill('SIGSTOP');
      await countedBy((by) => by !== leader, 50);
      replicas.get(leader)?.kill('SIGCONT');
      await countedBy(() => true, 50);
    }
    end.abort();
    await recording;
    expectOneLeaderAtATime(acts);
  });
});

/** Everything that happens to the lease and to the counter, with the version that etcd gave it. */
async function record(client: Client, namespace: string, acts: Act[], signal: AbortSignal): Promise<void> {
  const leases = async () => {
    for await (const { type, object } of client.watch(Lease, { namespace, signal })) {
      if (type === 'BOOKMARK') continue;
      const { holderIdentity = '', leaseTransitions = 0 } = object.spec ?? {};
      acts.push({ version: versionOf(object), kind: 'Lease', by: holderIdentity, term: leaseTransitions });
    }
  };
  const counts = async () => {
    const options = { namespace, signal, fieldSelector: 'metadata.name=counter' };
    for await (const { type, object } of client.watch(ConfigMap, options)) {
      if (type === 'BOOKMARK' || !object.data?.by) continue;
      const { by, term } = object.data;
      acts.push({ version: versionOf(object), kind: 'ConfigMap', by, term: Number(term) });
    }
  };
  await Promise.all([leases().catch(() => {}), counts().catch(() => {})]);
}

// Versions of all objects of one server are one sequence: etcd's.
function versionOf({ metadata }: { metadata: { resourceVersion?: string } }): bigint {
  return BigInt(metadata.resourceVersion ?? '0');
}

function expectOneLeaderAtATime(acts: Act[]): void {
  acts.sort((a, b) => Number(a.version - b.version));
  let holder: Act | undefined;
  const leaders: string[] = [];
  for (const act of acts) {
    if (act.kind === 'Lease') {
      holder = act;
      continue;
    }
    expect({ by: act.by, term: act.term }).toEqual({ by: holder?.by, term: holder?.term });
    if (leaders.at(-1) !== act.by) leaders.push(act.by);
  }
  // Each freeze was a change of hands; a machine that is slow enough makes more of them.
  expect(leaders.length).toBeGreaterThanOrEqual(5);
  expect(acts.filter(({ kind }) => kind === 'ConfigMap').length).toBeGreaterThan(600);
}
