import { describe, expect, it } from 'vitest';
import { readBundle } from './certificate.ts';
import { createAuthority, issueLeaf } from './issue.ts';
import type { KeyPair } from './key-pair.ts';
import { bundleOf, type Observed, type Policy, plan, type Ring, renewalTime, take } from './ring.ts';

const DAY = 86_400_000;
const HOUR = 3_600_000;
const start = Date.UTC(2026, 0, 1);
const policy: Policy = { lifetime: 90 * DAY, jitter: 0 };
const authorityAt = (now: number) => createAuthority({ name: 'shop', now, lifetime: 365 * DAY });
const leafBy = (signer: KeyPair, now: number) =>
  issueLeaf(signer, { commonName: 'db', names: ['db'], usages: ['server'], now, lifetime: policy.lifetime });
const keyIds = (ring: Ring) => readBundle(bundleOf(ring)).map(({ keyId }) => keyId);

/** A service of two replicas that have loaded everything there is, but for what a test changes. */
class World {
  now = start;
  policy = policy;
  ring: Ring = { authority: authorityAt(start) };
  leaf = leafBy(this.ring.authority, start);
  /** What the second has loaded: undefined for the newest. */
  trusts: readonly string[] | undefined;
  shows: readonly string[] | undefined;

  get observed(): Observed {
    const signer = this.leaf.certificate.issuerKeyId ?? '';
    const stored = this.leaf.certificate;
    return {
      verifiers: [
        { name: 'a', trusts: keyIds(this.ring) },
        { name: 'b', trusts: this.trusts ?? keyIds(this.ring) },
      ],
      holders: [
        { name: 'a', stored, shows: [signer] },
        { name: 'b', stored, shows: this.shows ?? [signer] },
      ],
    };
  }

  plan() {
    return plan(this.ring, this.observed, this.policy, this.now);
  }

  /** Does what is due, and says what that was. */
  look() {
    const { step, renew, waitingFor } = this.plan();
    if (step) this.ring = take(step, this.ring, this.policy, this.now, () => authorityAt(this.now));
    if (renew.length > 0) this.leaf = leafBy(this.ring.authority, this.now);
    return step ?? (renew.length > 0 ? 'renew' : waitingFor.length > 0 ? `waits for ${waitingFor.join()}` : 'rests');
  }
}

describe('an authority is followed by another', () => {
  it('in stages, each when everybody is seen to be ready for it', () => {
    const world = new World();
    const old = keyIds(world.ring);
    world.now = start + 244 * DAY;
    world.leaf = leafBy(world.ring.authority, world.now);
    expect(world.look()).toBe('begin');
    const both = bundleOf(world.ring);
    world.trusts = old;
    expect(world.look()).toBe('waits for b');
    expect(world.plan().next).toBeGreaterThan(world.now + 50 * DAY);
    world.trusts = undefined;
    expect(world.look()).toBe('announce');
    expect(world.look()).toBe('promote');
    expect(bundleOf(world.ring)).toBe(both);
    world.shows = old;
    expect(world.look()).toBe('renew');
    expect(world.leaf.certificate.issuerKeyId).toBe(world.ring.authority.certificate.keyId);
    expect(world.look()).toBe('waits for b');
    world.shows = [...old, world.ring.authority.certificate.keyId];
    expect(world.look()).toBe('waits for b');
    world.shows = undefined;
    expect(world.look()).toBe('settle');
    expect(world.look()).toBe('retire');
    expect(bundleOf(world.ring)).toBe(world.ring.authority.pem);
    expect(world.look()).toBe('rests');
  });

  it('and of whom nothing is known is waited for, or for an overlap if he is on no list', () => {
    const world = new World();
    world.policy = { ...policy, overlap: HOUR };
    world.ring = take('begin', world.ring, policy, start, () => authorityAt(start));
    const unknown = { ...world.observed, verifiers: [{ name: 'b', trusts: undefined }] };
    expect(plan(world.ring, unknown, world.policy, start)).toMatchObject({ step: undefined, waitingFor: ['b'] });
    expect(world.look()).toBe('announce');
    expect(world.plan()).toMatchObject({ step: undefined, waitingFor: [], next: start + HOUR });
    world.now += HOUR;
    expect(world.look()).toBe('promote');
    expect(world.look()).toBe('renew');
    expect(world.look()).toBe('settle');
    expect(world.plan().next).toBe(world.now + HOUR);
    world.now += HOUR;
    expect(world.look()).toBe('retire');
  });

  it('and one who joins with an old bundle holds the promotion', () => {
    const world = new World();
    const old = keyIds(world.ring);
    world.ring = take('begin', world.ring, policy, start, () => authorityAt(start));
    expect(world.look()).toBe('announce');
    world.trusts = old;
    expect(world.look()).toBe('waits for b');
  });

  it('without an overlap when what is shown has run out, but never before it is trusted', () => {
    const world = new World();
    world.policy = { ...policy, overlap: HOUR };
    const old = keyIds(world.ring);
    world.now = start + 400 * DAY;
    expect(world.look()).toBe('begin');
    world.trusts = old;
    expect(world.look()).toBe('waits for b');
    expect(world.plan().concerns).toContainEqual({
      kind: 'expired',
      message: 'the authority was valid until 2027-01-01T00:00:00.000Z: b is waited for',
    });
    world.trusts = undefined;
    expect([world.look(), world.look(), world.look()]).toEqual(['announce', 'promote', 'renew']);
    expect(world.leaf.certificate.until).toBeGreaterThan(world.now);
  });

  it('and a stage that lasts is told', () => {
    const world = new World();
    world.ring = take('begin', world.ring, policy, start + 300 * DAY, () => authorityAt(start + 300 * DAY));
    world.trusts = [];
    world.now = start + 340 * DAY;
    expect(world.plan()).toMatchObject({
      waitingFor: ['b'],
      concerns: expect.arrayContaining([
        {
          kind: 'late',
          message: 'the authority ends on 2027-01-01T00:00:00.000Z, its change has not: b is waited for',
        },
      ]),
    });
  });
});

describe('a clock that is set back', () => {
  it('waits anew, and not until it is where it was', () => {
    const world = new World();
    world.policy = { ...policy, overlap: HOUR };
    world.ring = take('begin', world.ring, policy, start, () => authorityAt(start));
    world.ring = take('announce', world.ring, policy, start + 10 * DAY, () => expect.unreachable());
    expect(world.look()).toBe('announce');
    expect(world.plan().next).toBe(start + HOUR);
    world.ring = take('promote', world.ring, policy, start, () => expect.unreachable());
    world.ring = take('settle', world.ring, policy, start + 10 * DAY, () => expect.unreachable());
    expect(world.look()).toBe('renew');
    expect(world.look()).toBe('settle');
    expect(world.plan().next).toBe(start + HOUR);
  });

  it('replaces what it made when it was ahead, and says so', () => {
    const world = new World();
    const ahead = start + 1000 * DAY;
    world.ring = take('begin', world.ring, policy, ahead, () => authorityAt(ahead));
    expect(world.plan().concerns.map(({ kind }) => kind)).toEqual(['clock']);
    expect(world.look()).toBe('begin');
    expect(world.plan().concerns).toEqual([]);
    const early = new World();
    early.leaf = leafBy(early.ring.authority, start + 2 * DAY);
    expect(early.plan().concerns.map(({ kind }) => kind)).toEqual(['clock', 'clock']);
    expect(early.look()).toBe('renew');
    expect(early.plan().concerns).toEqual([]);
    const first = new World();
    first.ring = { authority: authorityAt(ahead) };
    expect(first.plan()).toMatchObject({ step: 'begin', renew: [] });
  });

  it('replaces even an authority that signs already, and keeps what it followed until nobody needs it', () => {
    const world = new World();
    const old = keyIds(world.ring);
    world.now = start + 1000 * DAY;
    expect([world.look(), world.look(), world.look()]).toEqual(['begin', 'announce', 'promote']);
    world.now = start;
    expect([world.look(), world.look(), world.look()]).toEqual(['begin', 'announce', 'promote']);
    expect(keyIds(world.ring)).toHaveLength(3);
    world.shows = old;
    expect([world.look(), world.look()]).toEqual(['renew', 'waits for b']);
    world.shows = undefined;
    expect([world.look(), world.look()]).toEqual(['settle', 'retire']);
    expect(keyIds(world.ring)).toEqual([world.ring.authority.certificate.keyId]);
  });
});

describe('a certificate', () => {
  it('is replaced after two thirds of its time', () => {
    const world = new World();
    expect(world.plan().next).toBeGreaterThan(start + 59 * DAY);
    world.now = start + 61 * DAY;
    expect(world.look()).toBe('renew');
    expect(world.look()).toBe('rests');
  });

  it('that ends with its authority is not made anew: it would not last longer', () => {
    const world = new World();
    world.leaf = leafBy(world.ring.authority, start + 300 * DAY);
    world.ring = take('begin', world.ring, policy, start + 300 * DAY, () => authorityAt(start + 300 * DAY));
    world.trusts = [];
    world.now = start + 360 * DAY;
    expect(world.plan()).toMatchObject({ renew: [], step: undefined });
  });

  it('is not replaced in the same moment as all others, and the moment is the same for whoever asks', () => {
    const signer = authorityAt(start);
    const times = Array.from({ length: 100 }, () => renewalTime(leafBy(signer, start).certificate));
    const [first, last] = [Math.min(...times), Math.max(...times)];
    const whole = policy.lifetime + HOUR;
    expect(first).toBeGreaterThanOrEqual(start - HOUR + whole * (2 / 3 - 0.05));
    expect(last).toBeLessThanOrEqual(start - HOUR + whole * (2 / 3) + 1);
    expect(last - first).toBeGreaterThan(2 * DAY);
    const { certificate } = leafBy(signer, start);
    expect(renewalTime({ ...certificate })).toBe(renewalTime(certificate));
  });

  it('is made where there is none', () => {
    const { ring } = new World();
    const observed = { verifiers: [], holders: [{ name: 'c', stored: undefined, shows: [] }] };
    expect(plan(ring, observed, policy, start)).toMatchObject({ renew: ['c'], concerns: [] });
  });
});
