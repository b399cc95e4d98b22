import { describe, expect, it, onTestFinished } from 'vitest';
import { LeaseServer, Machine, seededRandom, storeOn } from '../../test/support/lease-world.ts';
import { settled } from '../../test/support/manual-clock.ts';
import { electionOn, type LeaderElection } from './election.ts';
import type { ElectionEvent, Leadership } from './leadership.ts';

interface Candidate {
  readonly election: LeaderElection;
  readonly machine: Machine;
  readonly events: ElectionEvent[];
  leadership?: Leadership;
  campaign(): void;
}

function world() {
  const random = seededRandom(7);
  const server = new LeaseServer(random);
  const end = new AbortController();
  onTestFinished(() => end.abort());
  const candidate = (identity: string): Candidate => {
    const machine = new Machine(server.clock, 1, 0);
    const events: ElectionEvent[] = [];
    const report = (event: ElectionEvent) => void events.push(event);
    const options = { identity, clock: machine, random, report };
    const election = electionOn(storeOn(machine, server), 'ns/lease', options);
    const self: Candidate = {
      election,
      machine,
      events,
      campaign: () =>
        void election.campaign(end.signal).then(
          (leadership) => Object.assign(self, { leadership }),
          () => {},
        ),
    };
    return self;
  };
  return { server, candidate, pass: (seconds: number) => server.clock.advance(seconds * 1000) };
}

async function elected() {
  const { server, candidate, pass } = world();
  const [a, b] = [candidate('a'), candidate('b')];
  a.campaign();
  await pass(1);
  b.campaign();
  await pass(5);
  if (!a.leadership) throw new Error('a was not elected');
  return { server, pass, candidate, a, b, leadership: a.leadership };
}

const cutOff = { slowest: 20, lossOneIn: 1 };
const codeOf = (act: () => void) => {
  try {
    act();
    return undefined;
  } catch (error) {
    return (error as { code: string }).code;
  }
};

describe('a candidate', () => {
  it('leads at once when nobody does, and says so in the lease', async () => {
    const { server, candidate, pass } = world();
    const a = candidate('a');
    expect(codeOf(() => a.election.fence())).toBe('KUR_RUNTIME_NOT_LEADER');
    a.campaign();
    await pass(0.1);
    expect(a.election.isLeader()).toBe(true);
    expect(a.election.state()).toMatchObject({ holder: 'a', leading: true, term: 0, lease: 'ns/lease' });
    expect(server.record).toMatchObject({ holderIdentity: 'a', leaseDurationSeconds: 15, leaseTransitions: 0 });
    expect(server.record?.acquireTime).toMatch(/^2026-01-01T00:00:00\.\d{6}Z$/);
  });

  it('waits while another leads, and knows who', async () => {
    const { b, pass } = await elected();
    await pass(120);
    expect(b.leadership).toBeUndefined();
    expect(b.election.state()).toMatchObject({ holder: 'a', leading: false });
    expect(b.events).toEqual([{ type: 'holder', identity: 'a' }]);
  });

  it('takes over within milliseconds from a leader that gives the lease back', async () => {
    const { b, pass, leadership, server } = await elected();
    void leadership.release();
    await pass(0.2);
    expect(b.election.isLeader()).toBe(true);
    expect(server.record).toMatchObject({ holderIdentity: 'b', leaseTransitions: 1 });
    expect(b.leadership?.term).toBe(1);
  });

  it('takes over from a dead leader once the lease has run out on its own clock, whatever the clock of the dead', async () => {
    const { a, b, pass } = await elected();
    a.machine.setDateBy(-3_600_000);
    await pass(10);
    a.machine.freeze();
    await pass(12.5);
    expect(b.election.isLeader()).toBe(false);
    await pass(3);
    expect(b.election.isLeader()).toBe(true);
  });

  it('does not take over sooner because the Lease was deleted', async () => {
    const { a, b, pass, server } = await elected();
    a.machine.freeze();
    await pass(5);
    server.delete();
    await pass(8);
    expect(b.election.isLeader()).toBe(false);
    await pass(5);
    expect(b.election.isLeader()).toBe(true);
    expect(server.record?.leaseTransitions).toBe(1);
  });

  it('sees its own claim when only the answer was lost', async () => {
    const { server, candidate, pass } = world();
    const a = candidate('a');
    const create = server.create.bind(server);
    server.create = (record) => {
      server.conditions = cutOff;
      return create(record);
    };
    a.campaign();
    await pass(9);
    expect(server.record?.holderIdentity).toBe('a');
    expect(a.election.isLeader()).toBe(false);
    server.conditions = { slowest: 20, lossOneIn: 0 };
    await pass(10);
    expect(a.election.isLeader()).toBe(true);
  });

  it('does not believe a namesake to be itself', async () => {
    const { candidate, pass } = await elected();
    const namesake = candidate('a');
    namesake.campaign();
    await pass(60);
    expect(namesake.election.isLeader()).toBe(false);
  });

  it('ends with the reason of the signal', async () => {
    const { candidate } = world();
    const end = new AbortController();
    const campaign = candidate('a').election.campaign(end.signal);
    end.abort(new Error('enough'));
    await expect(campaign).rejects.toThrow('enough');
  });

  it('gives back what it claimed in the moment it was told to end', async () => {
    const { server, candidate, pass } = world();
    const end = new AbortController();
    const create = server.create.bind(server);
    server.create = (record) => {
      end.abort(new Error('enough'));
      return create(record);
    };
    const campaign = candidate('a')
      .election.campaign(end.signal)
      .catch((error: Error) => error.message);
    await pass(1);
    expect(server.record).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1 });
    expect(await campaign).toBe('enough');
  });

  it('goes on looking when the server refuses, reports it, and does not hammer', async () => {
    const { server, candidate, pass } = world();
    const a = candidate('a');
    const read = server.read.bind(server);
    let reads = 0;
    server.read = () => {
      reads++;
      throw new Error('forbidden');
    };
    a.campaign();
    await pass(60);
    expect(reads).toBeLessThanOrEqual(31);
    expect(a.election.state().trouble).toEqual(new Error('forbidden'));
    server.read = read;
    await pass(5);
    expect(a.election.isLeader()).toBe(true);
    expect(a.election.state().trouble).toBeUndefined();
  });

  it('campaigns once at a time', async () => {
    const { a } = await elected();
    await expect(a.election.campaign()).rejects.toMatchObject({ code: 'KUR_RUNTIME_ALREADY_CAMPAIGNING' });
  });
});

describe('a leader', () => {
  it('renews, each time with another time', async () => {
    const { server, pass, leadership } = await elected();
    const times = new Set<string>();
    for (let second = 0; second < 60; second += 2.5) {
      await pass(2.5);
      times.add(server.record?.renewTime ?? '');
      expect(leadership.remaining()).toBeGreaterThan(7_000);
    }
    expect(times.size).toBe(24);
  });

  it('stops by itself when it cannot renew, before another can take over', async () => {
    const { a, b, pass, leadership, server } = await elected();
    server.conditions = cutOff;
    await pass(10);
    expect(leadership.signal.aborted).toBe(true);
    expect(leadership.signal.reason).toMatchObject({ code: 'KUR_RUNTIME_LEADERSHIP_LOST' });
    expect(a.events.at(-1)).toMatchObject({ type: 'ended', lost: true });
    expect(b.election.isLeader()).toBe(false);
  });

  it('counts a renewal from before it was sent, not from its answer', async () => {
    const { pass, leadership, server } = await elected();
    const replace = server.replace.bind(server);
    const send = server.send.bind(server);
    const sent = Promise.withResolvers<number>();
    // The first renewal is done at once and answered after four seconds; nothing else comes through.
    server.replace = (...of) => {
      const stored = replace(...of);
      server.conditions = cutOff;
      server.replace = replace;
      server.send = (arrive) => {
        server.clock.setTimeout(arrive, 4_000);
        server.send = send;
      };
      sent.resolve(server.clock.now());
      return stored;
    };
    await pass(2);
    const sentAt = await sent.promise;
    await pass(5 - (server.clock.now() - sentAt) / 1000);
    expect(leadership.remaining()).toBeLessThanOrEqual(5_000);
    expect(leadership.remaining()).toBeGreaterThan(4_900);
    await pass(5);
    expect(leadership.signal.aborted).toBe(true);
  });

  it('is not kept waiting by an answer that never comes', async () => {
    const { pass, leadership, server } = await elected();
    const send = server.send.bind(server);
    let swallowed = 0;
    // The next three answers or requests are swallowed, as by a connection that has died without saying so.
    server.send = (arrive) => (swallowed++ < 3 ? undefined : send(arrive));
    await pass(9);
    expect(swallowed).toBeGreaterThan(3);
    expect(leadership.remaining()).toBeGreaterThan(7_000);
  });

  it.each([
    ['SIGSTOP', (machine: Machine) => machine.freeze()],
    ['a closed lid', (machine: Machine) => machine.sleep()],
  ])('is fenced from the first instant after %s', async (_, stop) => {
    const { a, b, pass, leadership } = await elected();
    stop(a.machine);
    await pass(20);
    expect(b.election.isLeader()).toBe(true);
    // Before the backlog of timers and answers runs.
    expect(codeOf(() => leadership.fence())).toBe('KUR_RUNTIME_LEADERSHIP_LOST');
    a.machine.thaw();
    await pass(20);
    expect(a.election.isLeader()).toBe(false);
    expect(b.election.isLeader()).toBe(true);
  });

  it('outlives a wall clock that is set back', async () => {
    const { a, pass, leadership } = await elected();
    a.machine.setDateBy(-3_600_000);
    await pass(30);
    expect(leadership.isLeader()).toBe(true);
  });

  it('finds its lease again after an answer was lost', async () => {
    const { pass, leadership, server } = await elected();
    const replace = server.replace.bind(server);
    server.replace = (...of) => {
      server.conditions = cutOff;
      server.clock.setTimeout(() => {
        server.conditions = { slowest: 20, lossOneIn: 0 };
      }, 1_000);
      server.replace = replace;
      return replace(...of);
    };
    await pass(60);
    expect(leadership.isLeader()).toBe(true);
  });

  it('makes the Lease anew when someone deleted it', async () => {
    const { pass, leadership, server } = await elected();
    server.delete();
    await pass(3);
    expect(server.record).toMatchObject({ holderIdentity: 'a' });
    expect(leadership.isLeader()).toBe(true);
  });

  it('gives way at once when it finds another in the lease', async () => {
    const { pass, leadership, server } = await elected();
    const stored = server.read();
    if (stored) server.replace(stored, { ...stored.record, holderIdentity: 'usurper' });
    await pass(2.2);
    expect(leadership.signal.reason).toMatchObject({
      code: 'KUR_RUNTIME_LEADERSHIP_LOST',
      message: expect.stringContaining('usurper has taken it'),
    });
  });

  it('empties the lease when it gives it back, after its signal fired', async () => {
    const { a, pass, leadership, server } = await elected();
    const release = leadership.release();
    expect(leadership.signal.reason).toMatchObject({ code: 'KUR_RUNTIME_LEADERSHIP_RELEASED' });
    expect(server.record?.holderIdentity).toBe('a');
    const emptied = new Promise((resolve) => server.watch((record) => resolve(record)));
    await pass(0.2);
    await release;
    expect(await emptied).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1 });
    expect(a.events.at(-1)).toMatchObject({ type: 'ended', lost: false });
  });

  it('leaves the lease to run out when it is abandoned', async () => {
    const { b, pass, leadership } = await elected();
    leadership.abandon();
    await pass(13);
    expect(b.election.isLeader()).toBe(false);
    await pass(5);
    expect(b.election.isLeader()).toBe(true);
  });

  it('leaves no timer behind', async () => {
    const { candidate, pass, server } = world();
    const a = candidate('a');
    a.campaign();
    await pass(3);
    void a.leadership?.release();
    await pass(60);
    await settled();
    expect(server.clock.pending).toBe(0);
  });
});
