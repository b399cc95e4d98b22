/**
 * Several replicas and API servers that hear of every change late, and of some much later; whatever is served must be
 * trusted by every API server at every moment.
 */
import { bundleOf } from '@kurator/pki';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Change, changed, freshKeyring, type Keyring, outlook } from './keyring.ts';

const SECOND = 1_000;
const settings = {
  operator: 'shop',
  purpose: 'webhooks',
  names: ['a.svc'],
  overlap: 1_000 * SECOND,
  lifetime: 3_000 * SECOND,
  authorityLifetime: 10_000 * SECOND,
};
/** How late replicas and API servers hear of what was written, at most: less than the overlap. */
const LAG = 900 * SECOND;
const start = Date.UTC(2026, 0, 1);

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

const trustedBy = ({ ring: { authority, next, previous } }: Keyring) => [
  ...[authority, next?.authority].flatMap((pair) => pair?.certificate.keyId ?? []),
  ...(previous?.certificates ?? []).map(({ keyId }) => keyId),
];

/** Whether every replica, however late, serves what every API server, however late, trusts. */
function allTrusted(rings: History<Keyring>, registrations: History<Keyring>, times: readonly number[]): boolean {
  const signers = times.map((at) => rings.asOf(at).serving.certificate.issuerKeyId ?? '');
  return times.every((at) => signers.every((signer) => trustedBy(registrations.asOf(at)).includes(signer)));
}

/** A look of some replica: after a pause, with or without being able to write the registration. */
const look = fc.record({
  pause: fc.integer({ min: 1, max: 250 }).map((seconds) => seconds * SECOND),
  registers: fc.boolean(),
  lateness: fc.integer({ min: 0, max: LAG }),
});

it('never serves what some API server does not trust yet, or no longer', () => {
  fc.assert(
    fc.property(fc.array(look, { minLength: 50, maxLength: 300 }), (looks) => {
      const rings = new History<Keyring>();
      const registrations = new History<Keyring>();
      rings.write(start, freshKeyring(settings, start));
      registrations.write(start, rings.latest);
      const changes: Change[] = [];
      let now = start;
      for (const { pause, registers, lateness } of looks) {
        now += pause;
        expect(allTrusted(rings, registrations, [now, now - lateness, now - LAG])).toBe(true);
        if (registers) registrations.write(now, rings.latest);
        const held = bundleOf(registrations.latest.ring) === bundleOf(rings.latest.ring);
        const { change } = outlook(rings.latest, settings, now, held);
        if (typeof change === 'number') continue;
        changes.push(change);
        rings.write(now, changed(change, rings.latest, settings, now));
        // What nobody can register can't be promoted, and runs out: no order of steps can help that.
        if (rings.latest.serving.certificate.until <= now) return;
      }
      const rotation = changes.filter((change) => change !== 'renew').join();
      expect('begin,announce,promote,retire,'.repeat(changes.length + 1)).toContain(rotation);
    }),
    { numRuns: 50 },
  );
});

it('is never without a valid certificate while looks are frequent and registrations succeed', () => {
  const pause = fc.integer({ min: 1, max: 400 });
  fc.assert(
    fc.property(fc.array(pause, { minLength: 100, maxLength: 400 }), (pauses) => {
      let keyring = freshKeyring(settings, start);
      let now = start;
      for (const seconds of pauses) {
        now += seconds * SECOND;
        expect(keyring.serving.certificate.until).toBeGreaterThan(now);
        for (
          let { change } = outlook(keyring, settings, now, true);
          typeof change !== 'number';
          { change } = outlook(keyring, settings, now, true)
        ) {
          keyring = changed(change, keyring, settings, now);
        }
      }
    }),
    { numRuns: 20 },
  );
});
