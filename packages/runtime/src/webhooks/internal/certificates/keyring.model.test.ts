/**
 * Several replicas and API servers that hear of every change late, and of some much later; whatever is served must be
 * trusted by every API server at every moment. Certificates are only names and times here.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Issuer } from './issuer.ts';
import { bundleOf, freshKeyring, type Keyring, nextStep, type Step, taken } from './keyring.ts';

const authorityLifetime = 10_000;
const plan = { overlap: 1_000, lifetime: 3_000, names: ['a.svc'] };
/** How late replicas and API servers hear of what was written, at most: less than the overlap. */
const LAG = 900;

function fakeIssuer(): Issuer {
  let made = 0;
  return {
    async authority(now) {
      const certificate = `<A${made++}>`;
      return { certificate, key: 'k', from: now, until: now + authorityLifetime, names: [] };
    },
    async serving(authority, names, now) {
      const until = Math.min(now + plan.lifetime, authority.until);
      return { certificate: `${authority.certificate}.${made++}`, key: 'k', from: now, until, names };
    },
  };
}

/** A value that was written now and then; whoever is late sees an older one. */
class History<T> {
  readonly #entries: { at: number; value: T }[] = [];

  write(at: number, value: T): void {
    this.#entries.push({ at, value });
  }

  asOf(at: number): T {
    const value = this.#entries.findLast((entry) => entry.at <= at)?.value;
    return value ?? (this.#entries[0] as { value: T }).value;
  }

  get latest(): T {
    return this.asOf(Number.POSITIVE_INFINITY);
  }
}

/** Whether every replica, however late, serves what every API server, however late, trusts. */
function allTrusted(rings: History<Keyring>, registrations: History<string>, times: readonly number[]): boolean {
  const signers = times.map((at) => rings.asOf(at).serving.certificate.replace(/>.*/, '>'));
  return times.every((at) => signers.every((signer) => registrations.asOf(at).includes(signer)));
}

/** A look of some replica: after a pause, with or without being able to write the registration. */
const look = fc.record({
  pause: fc.integer({ min: 1, max: 250 }),
  registers: fc.boolean(),
  lateness: fc.integer({ min: 0, max: LAG }),
});

it('never serves what some API server does not trust yet, or no longer', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(look, { minLength: 50, maxLength: 300 }), async (looks) => {
      const issuer = fakeIssuer();
      const rings = new History<Keyring>();
      const registrations = new History<string>();
      rings.write(0, await freshKeyring(issuer, plan, 0));
      registrations.write(0, bundleOf(rings.latest));
      const steps: Step[] = [];
      let now = 0;
      for (const { pause, registers, lateness } of looks) {
        now += pause;
        expect(allTrusted(rings, registrations, [now, now - lateness, now - LAG])).toBe(true);
        if (registers) registrations.write(now, bundleOf(rings.latest));
        const held = registrations.latest === bundleOf(rings.latest);
        const step = nextStep(rings.latest, plan, now, held);
        if (typeof step === 'number') continue;
        steps.push(step);
        rings.write(now, await taken(step, rings.latest, plan, now, issuer));
        // What nobody can register can't be promoted, and runs out: no order of steps can help that.
        if (rings.latest.serving.until <= now) return;
      }
      const rotation = steps.filter((step) => step !== 'renew').join();
      expect('begin,announce,promote,retire,'.repeat(steps.length + 1)).toContain(rotation);
    }),
  );
});

it('is never without a valid certificate while looks are frequent and registrations succeed', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 100, maxLength: 400 }), async (pauses) => {
      const issuer = fakeIssuer();
      let ring = await freshKeyring(issuer, plan, 0);
      let now = 0;
      for (const pause of pauses) {
        now += pause;
        expect(ring.serving.until).toBeGreaterThan(now);
        for (
          let step = nextStep(ring, plan, now, true);
          typeof step !== 'number';
          step = nextStep(ring, plan, now, true)
        ) {
          ring = await taken(step, ring, plan, now, issuer);
        }
      }
    }),
  );
});
