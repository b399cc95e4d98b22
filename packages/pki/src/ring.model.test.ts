/**
 * Members of a cluster that are each other's servers and clients, an operator that may be killed between any two writes, clocks
 * that jump: whatever happens, and in whatever order, every member accepts what every other shows. Certificates are only names
 * and times here. That the property finds mistakes is shown by planners that make them.
 */
import { generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Certificate } from './certificate.ts';
import { KeyPair } from './key-pair.ts';
import { type Observed, type Plan, type Policy, plan, type Ring, take } from './ring.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const policy: Policy = { lifetime: 10 * HOUR };
const AUTHORITY_LIFETIME = 30 * HOUR;
const BACKDATE = HOUR;

type Planner = typeof plan;

interface Held {
  trusts: readonly string[];
  leaf: Certificate;
}

interface Member {
  readonly name: string;
  /** What lies in its Secret, and what its process has loaded. */
  readonly secret: Held;
  readonly loaded: Held;
  /** Whether anybody can tell what it has loaded. */
  seen: boolean;
}

/** Ends a look of the operator where a kill would. */
class Killed extends Error {}

class World {
  now = 1_000 * HOUR;
  /** By how much the operator's clock is wrong. */
  skew = 0;
  ring: Ring;
  readonly members: Member[] = [];
  readonly #plan: Planner;
  readonly #key = key;
  #made = 0;

  constructor(planner: Planner) {
    this.#plan = planner;
    this.ring = { authority: this.#authority() };
    for (let count = 0; count < 3; count++) this.join();
  }

  /** What a new member gets is what everybody who is new would get. */
  join(): void {
    const held = () => ({ trusts: trustedOf(this.ring), leaf });
    const leaf = this.#leaf();
    this.members.push({ name: `m${this.members.length}`, secret: held(), loaded: held(), seen: true });
  }

  load(index: number, what: 'bundle' | 'leaf' | 'both'): void {
    const member = this.members[index % this.members.length] as Member;
    if (what !== 'leaf') member.loaded.trusts = member.secret.trusts;
    if (what !== 'bundle') member.loaded.leaf = member.secret.leaf;
  }

  /** One look of the operator, which is killed before the write of that number. */
  look(killedBefore: number): void {
    let writes = 0;
    const write = (change: () => void) => {
      if (writes++ === killedBefore) throw new Killed();
      change();
    };
    try {
      this.#reconcile(write);
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
    }
  }

  #reconcile(write: (change: () => void) => void): void {
    for (const { secret } of this.members) {
      const trusts = trustedOf(this.ring);
      if (trusts.join() !== secret.trusts.join()) write(() => Object.assign(secret, { trusts }));
    }
    const { step, renew } = this.planned();
    if (step)
      write(() => Object.assign(this, { ring: take(step, this.ring, policy, this.#clock, () => this.#authority()) }));
    for (const { secret } of this.members.filter(({ name }) => renew.includes(name))) {
      write(() => Object.assign(secret, { leaf: this.#leaf() }));
    }
  }

  planned(): Plan {
    return this.#plan(this.ring, this.#observed(), policy, this.#clock);
  }

  /** Who would refuse whom, and why. */
  refusals({ byTime = false } = {}): string[] {
    const isValid = ({ from, until }: Certificate) => from <= this.now && this.now < until;
    return this.members.flatMap(({ name, loaded: { trusts } }) =>
      this.members
        .filter(({ loaded: { leaf } }) => !trusts.includes(leaf.issuerKeyId ?? '') || (byTime && !isValid(leaf)))
        .map((other) => `${name} refuses ${other.name}`),
    );
  }

  get isChanging(): boolean {
    return this.ring.next !== undefined || this.ring.previous !== undefined;
  }

  get #clock(): number {
    return this.now + this.skew;
  }

  #observed(): Observed {
    return {
      verifiers: this.members.map(({ name, loaded, seen }) => ({ name, trusts: seen ? loaded.trusts : undefined })),
      holders: this.members.map(({ name, secret, loaded, seen }) => ({
        name,
        stored: secret.leaf,
        shows: seen ? [loaded.leaf.issuerKeyId ?? ''] : undefined,
      })),
    };
  }

  #authority(): KeyPair {
    return new KeyPair(this.#certificate(AUTHORITY_LIFETIME), this.#key);
  }

  #leaf(): Certificate {
    const { keyId, until } = this.ring.authority.certificate;
    const leaf = this.#certificate(policy.lifetime);
    return { ...leaf, issuerKeyId: keyId, until: Math.min(leaf.until, until) };
  }

  #certificate(lifetime: number): Certificate {
    const id = String(this.#made++);
    const [from, until] = [this.#clock - BACKDATE, this.#clock + lifetime];
    const fingerprint = ((this.#made * 2_654_435_761) % 2 ** 32).toString(16).padStart(8, '0');
    const rest = { commonName: id, organizations: [], names: [], usages: [], isAuthority: true, serial: id };
    return { ...rest, pem: id, from, until, keyId: id, issuerKeyId: undefined, fingerprint };
  }
}

const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;

function trustedOf({ authority, next, previous }: Ring): string[] {
  const all = [authority.certificate, ...(next ? [next.authority.certificate] : []), ...(previous?.certificates ?? [])];
  return all.map(({ keyId }) => keyId);
}

type Event = (world: World) => void;

/** Each with its name, for the one who reads a history that failed. */
const named = (name: string, event: Event): Event => Object.assign(event, { toString: () => name });

const anybody = fc.nat({ max: 5 });
const looks = fc
  .oneof(fc.constant(99), fc.nat({ max: 5 }))
  .map((kill) => named(`look(${kill})`, (world) => world.look(kill)));
const loads = fc
  .tuple(anybody, fc.constantFrom('bundle' as const, 'leaf' as const, 'both' as const))
  .map(([index, what]) => named(`load(${index}, ${what})`, (world) => world.load(index, what)));
const passes = fc.integer({ min: 1, max: 4 * HOUR }).map((time) =>
  named(`pass(${time})`, (world) => {
    world.now += time;
  }),
);
const jumps = fc.oneof(fc.constant(0), fc.integer({ min: -400 * HOUR, max: 400 * HOUR })).map((skew) =>
  named(`jump(${skew})`, (world) => {
    world.skew = skew;
  }),
);
const hides = fc.tuple(anybody, fc.boolean()).map(([index, seen]) =>
  named(`seen(${index}, ${seen})`, (world) => {
    (world.members[index % world.members.length] as Member).seen = seen;
  }),
);
const joins = fc.constant(named('join', (world) => world.members.length < 6 && world.join()));

const history = fc.array(
  fc.oneof(
    { arbitrary: looks, weight: 8 },
    { arbitrary: loads, weight: 6 },
    { arbitrary: passes, weight: 3 },
    { arbitrary: jumps, weight: 1 },
    { arbitrary: hides, weight: 1 },
    { arbitrary: joins, weight: 1 },
  ),
  { minLength: 20, maxLength: 250, size: 'max' },
);

const everybodyAcceptsEverybody = (planner: Planner) =>
  fc.property(history, (events) => {
    const world = new World(planner);
    for (const event of events) {
      event(world);
      const refusals = world.refusals();
      if (refusals.length > 0) throw new Error(refusals.join());
    }
  });

/** Enough that a planner with a mistake has never come through. */
const numRuns = 300;

it('every member accepts every other at every moment, whoever is killed, late or out of sight, and whatever the clock says', () => {
  fc.assert(everybodyAcceptsEverybody(plan), { numRuns });
});

it('comes to its end once the clock is right and everybody loads what there is', () => {
  fc.assert(
    fc.property(history, (events) => {
      const world = new World(plan);
      for (const event of events) event(world);
      world.skew = 0;
      for (const member of world.members) member.seen = true;
      const rests: boolean[] = [];
      for (let turn = 0; turn < 20; turn++) {
        world.look(99);
        for (const [index] of world.members.entries()) world.load(index, 'both');
        world.now += MINUTE;
        rests.push(!world.isChanging);
        expect(world.refusals()).toEqual([]);
      }
      expect(rests).toContain(true);
      expect(world.refusals({ byTime: true })).toEqual([]);
      expect(world.planned().concerns).toEqual([]);
    }),
    { numRuns },
  );
});

it('nothing that is shown has run out while looks and loads are frequent and clocks differ by less than it is dated back', () => {
  const turn = fc.record({
    pause: fc.integer({ min: 1, max: 20 * MINUTE }),
    skew: fc.integer({ min: -BACKDATE + MINUTE, max: BACKDATE - MINUTE }),
    loader: anybody,
  });
  fc.assert(
    fc.property(fc.array(turn, { minLength: 100, maxLength: 400, size: 'max' }), (turns) => {
      const world = new World(plan);
      const authorities = new Set<string>();
      for (const [count, { pause, skew, loader }] of turns.entries()) {
        world.now += pause;
        world.skew = skew;
        world.look(99);
        world.load(loader, 'both');
        // One after the other has its turn in the end.
        world.load(count, 'both');
        authorities.add(world.ring.authority.certificate.keyId);
        const refusals = world.refusals({ byTime: true });
        if (refusals.length > 0) throw new Error(refusals.join());
      }
      if (world.now > 1_000 * HOUR + AUTHORITY_LIFETIME) expect(authorities.size).toBeGreaterThan(1);
    }),
    { numRuns: 100 },
  );
});

describe('a planner is found out that', () => {
  const mistakes: Record<string, Planner> = {
    'signs with an authority that not everybody trusts': (ring, observed, ...rest) =>
      plan(ring, { ...observed, verifiers: [] }, ...rest),
    'takes one of whom nothing is known for one who trusts it': (ring, observed, ...rest) =>
      plan(ring, { ...observed, verifiers: observed.verifiers.filter(({ trusts }) => trusts) }, ...rest),
    'asks only the first member': (ring, { verifiers, holders }, ...rest) =>
      plan(ring, { verifiers: verifiers.slice(0, 1), holders }, ...rest),
    'signs as soon as an authority is there': (ring, ...rest) => ({
      ...plan(ring, ...rest),
      ...(ring.next && { step: 'promote' as const }),
    }),
    'forgets an authority while somebody shows what it signed': (ring, observed, ...rest) => ({
      ...plan(ring, observed, ...rest),
      step: plan(ring, { ...observed, holders: [] }, ...rest).step,
    }),
    'takes what is stored for what is shown': (ring, { verifiers, holders }, ...rest) =>
      plan(
        ring,
        { verifiers, holders: holders.map((one) => ({ ...one, shows: [one.stored?.issuerKeyId ?? ''] })) },
        ...rest,
      ),
    'forgets an authority as soon as another signs': (ring, ...rest) => ({
      ...plan(ring, ...rest),
      ...(ring.previous && { step: 'retire' as const }),
    }),
    'does not wait any more once an authority has run out': (ring, observed, how, now) =>
      ring.authority.certificate.until <= now
        ? plan(ring, { ...observed, verifiers: [] }, how, now)
        : plan(ring, observed, how, now),
  };
  it.each(Object.entries(mistakes))('%s', (_, planner) => {
    expect(fc.check(everybodyAcceptsEverybody(planner), { numRuns, endOnFailure: true }).failed).toBe(true);
  });
});
