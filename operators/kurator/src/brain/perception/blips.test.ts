import { describe, expect, it } from 'vitest';
import { createRandom } from '../simulation/random.ts';
import { checkSpec } from '../spec-defaults.ts';
import { second } from '../time.ts';
import { type BlipTrack, freshBlips, mayBeChance, seenOf, standsOut, tried, windowOfTrials } from './blips.ts';
import { type CheckTrack, follow, freshTrack } from './check-track.ts';

const spec = checkSpec({ name: 'http', period: 10 * second, failAfter: 3 });

/** Follows a check for which each run fails by chance. */
function watched(share: number, seed: number, runs: number, until: (track: CheckTrack) => boolean = () => false) {
  const random = createRandom(seed);
  let track = freshTrack;
  let count = 0;
  while (count < runs && !until(track)) {
    const outcome = count > 0 && random.chance(share) ? 'failing' : 'healthy';
    track = follow(spec, track, result(outcome, ++count));
  }
  return { track, runs: count };
}

function result(outcome: 'failing' | 'healthy', number: number, errorKind = 'status') {
  return {
    target: 'a',
    check: 'http',
    outcome,
    at: number * second,
    latencyMs: 5,
    ...(outcome === 'failing' && { errorKind }),
  };
}

function after(...outcomes: ('failing' | 'healthy' | 'unreached')[]): BlipTrack {
  const results = outcomes.map((outcome, index) =>
    outcome === 'unreached' ? result('failing', index + 1, 'connect-timeout') : result(outcome, index + 1),
  );
  return results.reduce((track, one) => follow(spec, track, one), freshTrack).blips;
}

const often = Array.from({ length: windowOfTrials }, (_, trial) => trial % 5 < 2);
const well = often.reduce((track, _, trial) => tried(track, false, trial), freshBlips);
const bad = often.reduce((track, isBlip, trial) => tried(track, isBlip, trial), freshBlips);

describe('blips', () => {
  it('are failures that were over before they made the check failing', () => {
    expect(seenOf(after('healthy', 'failing', 'healthy', 'healthy'))).toEqual({ trials: 2, wrong: 1 });
    expect(seenOf(after('healthy', 'failing', 'failing', 'healthy'))).toEqual({ trials: 1, wrong: 1 });
  });

  it.each([
    ['an outage', after('healthy', 'failing', 'failing', 'failing', 'healthy')],
    ['the start of an instance', after('failing', 'healthy')],
    ['a connection that was not opened', after('healthy', 'unreached', 'healthy')],
  ])('are not made by %s', (_, track) => {
    expect(seenOf(track)).toEqual({ trials: 0, wrong: 0 });
  });

  it('of one in three are found within two windows in at least 99 of 100 trials', () => {
    const found = Array.from({ length: 1000 }, (_, seed) => watched(1 / 3, seed, 600, ({ blips }) => blips.wavers));
    const inTime = found.filter(({ track }) => track.blips.wavers && track.blips.windows.length <= 2);
    expect(inTime.length).toBeGreaterThanOrEqual(990);
    // Two windows are no more than a hundred runs: four minutes of the fastest pace.
    expect(found.filter(({ runs }) => runs <= 130).length).toBeGreaterThanOrEqual(990);
  });

  it('of one in five are found within three windows in at least 9 of 10 trials', () => {
    const found = Array.from({ length: 500 }, (_, seed) => watched(1 / 5, seed, 3 * 40, ({ blips }) => blips.wavers));
    expect(found.filter(({ track }) => track.blips.wavers).length).toBeGreaterThanOrEqual(450);
  });

  it('of one in a hundred raise no alarm in 10,000 windows', () => {
    let windows = 0;
    for (let seed = 0; seed < 100; seed++) {
      const { track, runs } = watched(0.01, seed, 100 * (windowOfTrials + 1), ({ blips }) => blips.wavers);
      expect(track.blips.wavers, `seed ${seed}`).toBe(false);
      windows += runs / (windowOfTrials + 1);
    }
    expect(windows).toBeGreaterThanOrEqual(10_000);
  });

  it('are over with a window that holds hardly any', () => {
    let track = bad;
    for (let trial = 0; trial < windowOfTrials; trial++) track = tried(track, trial === 0, trial);
    expect(track.wavers).toBe(false);
  });
});

describe('one that wavers', () => {
  it('stands out against others that do not', () => {
    expect(standsOut(bad, [well, well])).toBe(true);
  });

  it.each([
    ['nobody', []],
    ['others that waver as well', [bad, bad]],
    ['one of two others that wavers as well', [bad, well]],
    ['others that were hardly asked', [{ ...freshBlips, filling: { trials: 9, wrong: 0 } }]],
  ])('does not stand out against %s', (_, others) => {
    expect(standsOut(bad, others)).toBe(false);
  });

  it('has never been called the only one in 500 trials in which all three fail one in three', () => {
    for (let seed = 0; seed < 500; seed++) {
      const [mine, ...others] = [1, 2, 3].map((one) => watched(1 / 3, 3 * seed + one, 150).track.blips) as [BlipTrack];
      expect(standsOut(mine, others), `seed ${seed}`).toBe(false);
    }
  });
});

describe('a row of failures', () => {
  const row = (length: number, more: { since?: number; begun?: number } = {}) => ({
    length,
    since: Number.NEGATIVE_INFINITY,
    begun: 0,
    ...more,
  });
  /** One that was well for long, and then showed this, from a time of 1000 on. */
  const lately = (...blips: boolean[]) =>
    blips.reduce((track, isBlip, i) => tried(track, isBlip, 1000 + i), watched(0, 1, 60).track.blips);

  it('is an outage where nobody wavers', () => {
    expect(mayBeChance(row(3), [well, well, well])).toBe(false);
    expect(mayBeChance(row(3, { since: 1000 }), [lately(false, false), lately(false, false)])).toBe(false);
    expect(mayBeChance(row(3), [])).toBe(false);
  });

  it('may be chance where they do, until it is too long for that', () => {
    expect(mayBeChance(row(3), [bad, well])).toBe(true);
    expect(mayBeChance(row(12), [bad, well])).toBe(false);
  });

  it('may be chance where another has just begun to fail, and may be well again at once', () => {
    expect(mayBeChance(row(3, { begun: 1 }), [well, well, well])).toBe(true);
    // Among many that is no news.
    expect(
      mayBeChance(
        row(3, { begun: 1 }),
        Array.from({ length: 30 }, () => well),
      ),
    ).toBe(false);
  });

  it('counts what the others show since it began, not only how they were before', () => {
    const others = [lately(true, false), lately(true, true)];
    expect(mayBeChance(row(5, { since: 1000 }), others)).toBe(true);
    // One blip beside a real outage costs a few more failures, and no more.
    expect(
      mayBeChance(row(6, { since: 1000 }), [
        lately(true, false, false, false, false),
        lately(false, false, false, false, false),
      ]),
    ).toBe(false);
  });
});
