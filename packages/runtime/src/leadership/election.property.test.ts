import fc from 'fast-check';
import { expect, it } from 'vitest';
import { LeaseServer, Machine, seededRandom, storeOn } from '../../test/support/lease-world.ts';
import { electionOn, type LeaderElection } from './election.ts';
import type { Leadership } from './leadership.ts';

/** The closest together that options may be: the least room for error. */
const timing = { leaseDuration: 10_000, renewDeadline: 9_000, retryPeriod: 2_000 };

interface Candidate {
  readonly machine: Machine;
  readonly election: LeaderElection;
  leadership: Leadership | undefined;
  terms: number;
}

const happening = fc.record({
  after: fc.integer({ min: 0, max: 12_000 }),
  who: fc.nat(3),
  what: fc.oneof(
    { weight: 4, arbitrary: fc.constant('freeze' as const) },
    { weight: 4, arbitrary: fc.constant('thaw' as const) },
    { weight: 2, arbitrary: fc.constant('sleep' as const) },
    { weight: 2, arbitrary: fc.constant('release' as const) },
    { weight: 1, arbitrary: fc.constant('abandon' as const) },
    { weight: 1, arbitrary: fc.constant('clock forward' as const) },
    { weight: 2, arbitrary: fc.constant('bad network' as const) },
    { weight: 2, arbitrary: fc.constant('good network' as const) },
  ),
  amount: fc.nat(30_000),
});

type Happening = typeof happening extends fc.Arbitrary<infer T> ? T : never;

const actions: Record<Happening['what'], (candidate: Candidate, server: LeaseServer, amount: number) => void> = {
  freeze: ({ machine }) => machine.freeze(),
  sleep: ({ machine }) => machine.sleep(),
  thaw: ({ machine }) => machine.thaw(),
  release: ({ leadership }) => void leadership?.release(),
  abandon: ({ leadership }) => leadership?.abandon(),
  'clock forward': ({ machine }, _, amount) => machine.setDateBy(amount),
  'bad network': (_, server, amount) => {
    server.conditions = { slowest: amount / 4, lossOneIn: amount % 6 };
  },
  'good network': (_, server) => {
    server.conditions = { slowest: 20, lossOneIn: 0 };
  },
};

it('never has two whose fence lets them through at the same instant, whatever happens', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 2, max: 4 }),
      fc.array(happening, { minLength: 5, maxLength: 40 }),
      fc.nat(),
      async (count, happenings, seed) => {
        const random = seededRandom(seed);
        const server = new LeaseServer(random);
        const end = new AbortController();
        const candidates = Array.from({ length: count }, (_, index) => join(server, random, index, end.signal));
        for (const { after, who, what, amount } of happenings) {
          await pass(server, candidates, after);
          const candidate = candidates[who % count];
          if (candidate) actions[what](candidate, server, amount);
          expectOneLeader(candidates);
        }
        await expectRecovery(server, candidates);
        end.abort();
        await pass(server, candidates, 1_000);
      },
    ),
    { numRuns: 300 },
  );
}, 120_000);

function join(server: LeaseServer, random: () => number, index: number, end: AbortSignal): Candidate {
  const rate = 0.98 + random() * 0.04;
  const machine = new Machine(server.clock, rate, (random() - 0.5) * 3_600_000);
  const election = electionOn(storeOn(machine, server), 'ns/lease', {
    ...timing,
    identity: `candidate-${index}`,
    clock: machine,
    random,
  });
  const candidate: Candidate = { machine, election, leadership: undefined, terms: 0 };
  void stand(candidate, end);
  return candidate;
}

/** Campaigns, leads until that ends, and campaigns again. */
async function stand(candidate: Candidate, end: AbortSignal): Promise<void> {
  while (!end.aborted) {
    const leadership = await candidate.election.campaign(end).catch(() => undefined);
    if (!leadership) return;
    candidate.leadership = leadership;
    candidate.terms++;
    await new Promise((resolve) => leadership.signal.addEventListener('abort', resolve));
    candidate.leadership = undefined;
  }
}

/** Lets time go by, and looks after every single thing that happens. */
async function pass(server: LeaseServer, candidates: readonly Candidate[], milliseconds: number): Promise<void> {
  const until = server.clock.now() + milliseconds;
  for (let next = server.clock.next; next !== undefined && next <= until; next = server.clock.next) {
    await server.clock.advance(Math.max(0, next - server.clock.now()));
    expectOneLeader(candidates);
  }
  await server.clock.advance(until - server.clock.now());
}

// A frozen one too: it could thaw at this instant, and its next step be an act.
function expectOneLeader(candidates: readonly Candidate[]): void {
  const through = candidates.filter(({ election }) => passes(election));
  expect(through.map(({ election }) => election.identity).slice(1)).toEqual([]);
}

function passes(election: LeaderElection): boolean {
  try {
    election.fence();
    return true;
  } catch {
    return false;
  }
}

async function expectRecovery(server: LeaseServer, candidates: readonly Candidate[]): Promise<void> {
  server.conditions = { slowest: 20, lossOneIn: 0 };
  for (const { machine } of candidates) machine.thaw();
  await pass(server, candidates, 60_000);
  expect(candidates.filter(({ election }) => election.isLeader())).toHaveLength(1);
}
