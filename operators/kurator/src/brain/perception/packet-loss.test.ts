import { describe, expect, it } from 'vitest';
import type { PathSample } from '../observation.ts';
import { createRandom, type Random } from '../simulation/random.ts';
import { second } from '../time.ts';
import {
  areComparable,
  count,
  freshLossTrack,
  type LossTrack,
  losesNow,
  lossShare,
  lostExchanges,
  wayOf,
  windowSize,
} from './packet-loss.ts';

/** Opens connections over a path that loses a share of exchanges, as Linux would: SYNs at 0, 1, 3 and 7 s. */
function opening(random: Random, share: number, at: number, timeout = 10 * second): PathSample {
  let connectMs = 0;
  for (const wait of [1, 2, 4, 8]) {
    if (!random.chance(share)) return { from: 'operator', to: 'pod', at, connectMs: connectMs + 0.3, opened: true };
    connectMs += wait * second;
    if (connectMs >= timeout) break;
  }
  return { from: 'operator', to: 'pod', at, connectMs: timeout, opened: false };
}

function watch(random: Random, share: number, windows: number, timeout?: number, track: LossTrack = freshLossTrack) {
  let followed = track;
  let alarms = 0;
  for (let number = 1; number <= windows * windowSize; number++) {
    const at = Math.max(0, followed.lastAt) + 5 * second;
    followed = count(followed, opening(random, share, at, timeout));
    if (followed.filling.openings === 0 && followed.verdict === 'lossy') alarms++;
  }
  return { track: followed, alarms };
}

describe('packet loss', () => {
  it.each([10 * second, 2 * second, 0.9 * second])(
    'finds 20 % within three windows in at least 99 of 100 trials, with a timeout of %i ms',
    (timeout) => {
      const random = createRandom(20);
      const trials = 2000;
      let found = 0;
      for (let trial = 0; trial < trials; trial++) if (watch(random, 0.2, 3, timeout).alarms > 0) found++;
      expect(found / trials).toBeGreaterThanOrEqual(0.99);
    },
  );

  it('raises no alarm in 1,000 windows of 1 %, thirty times over', () => {
    for (let seed = 1; seed <= 30; seed++) expect(watch(createRandom(seed), 0.01, 1000).alarms).toBe(0);
  });

  it('finds half of all packets lost within one window', () => {
    const random = createRandom(50);
    for (let trial = 0; trial < 200; trial++) expect(watch(random, 0.5, 1).alarms).toBe(1);
  });

  it('estimates the share that is lost', () => {
    const { track } = watch(createRandom(3), 0.3, 100);
    expect(lossShare(track)).toBeCloseTo(0.3, 0);
    expect(lossShare(freshLossTrack)).toBeUndefined();
  });

  it('ends the alarm with the first window that is clear, and does not raise it again for what was before', () => {
    const random = createRandom(7);
    const lossy = watch(random, 0.3, 3).track;
    expect(wayOf(lossy)).toBe('lossy');
    const after = watch(random, 0, 3, undefined, lossy);
    expect(after.alarms).toBe(0);
    expect(wayOf(after.track)).toBe('clear');
  });

  it('calls an outage no loss, however long it is', () => {
    const random = createRandom(1);
    const before = watch(random, 0, 2).track;
    const during = watch(random, 1, 5, 2 * second, before);
    const after = watch(random, 0, 2, undefined, during.track);
    expect(during.alarms + after.alarms).toBe(0);
    expect(during.track.silent).toBeGreaterThan(100);
    expect(after.track.silent).toBeUndefined();
  });

  it.each([
    [0.4, true, 0],
    [1003, true, 1],
    [2004, true, 2],
    [3010, true, 2],
    [7008, true, 3],
    // Neither a timer's time nor a quick answer: the checker was late.
    [1600, true, 0],
    [900, false, 1],
    [2000, false, 2],
    [5000, false, 3],
  ])('reads %d ms, opened: %s, as %d lost exchanges', (connectMs, opened, lost) => {
    expect(lostExchanges({ connectMs, opened })).toBe(lost);
  });

  it('does not count an opening that the checker was too late to judge, neither for the path nor against it', () => {
    const { track } = watch(createRandom(1), 0, 1.5);
    const late: PathSample = { from: 'operator', to: 'pod', at: track.lastAt + 1, connectMs: 1600, opened: true };
    expect(count(track, late)).toBe(track);
  });

  it('is not sure of a path before it has seen enough of it', () => {
    const { track } = watch(createRandom(1), 0, 0.4);
    expect(wayOf(track)).toBe('unclear');
  });
});

describe('several paths', () => {
  it('count openings that end at the same moment, each for itself', () => {
    const slow: PathSample = { from: 'operator', to: 'pod', at: 1, connectMs: 1001, opened: true };
    const track = Array.from({ length: 10 }, () => slow).reduce(count, freshLossTrack);
    expect(track.filling).toEqual({ openings: 10, trials: 20, wrong: 10 });
  });

  it.each([
    ['all lose packets', 0, 0.3],
    ['all lose a few packets', 0, 0.2],
    ['no longer lose any', 0.3, 0],
  ])('are not taken for one that does when from one moment on they %s', (_, before, after) => {
    const random = createRandom(30);
    const trials = 1000;
    let mistaken = 0;
    for (let trial = 0; trial < trials; trial++) if (isTakenForOne(random, before, after)) mistaken++;
    expect(mistaken / trials).toBeLessThan(0.01);
  });

  /** Three paths, each somewhere in a window when the loss on all of them changes; followed until all have noticed. */
  function isTakenForOne(random: Random, before: number, after: number): boolean {
    let at = 0;
    const step = (track: LossTrack, share: number) => count(track, opening(random, share, at++, 2 * second));
    let tracks = Array.from({ length: 3 }, () => {
      const openings = 3 * windowSize + random.below(windowSize);
      return Array.from({ length: openings }).reduce<LossTrack>((track) => step(track, before), freshLossTrack);
    });
    const wanted = after > 0 ? 'lossy' : 'clear';
    while (!tracks.every(({ verdict }) => verdict === wanted)) {
      tracks = tracks.map((track) => step(track, after));
      const lossy = tracks.filter(({ verdict }) => verdict === 'lossy').length;
      const isJudged = areComparable(tracks) && tracks.every((track) => wayOf(track) !== 'unclear');
      if (isJudged && lossy > 0 && lossy < tracks.length) return true;
    }
    return false;
  }
});

describe('a path that was lossy', () => {
  it('does not lose packets any more once a row of openings went well, though its window says so still', () => {
    const at = (index: number, connectMs: number): PathSample => ({
      from: 'operator',
      to: 'pod',
      at: index * second,
      connectMs,
      opened: true,
    });
    let track = freshLossTrack;
    for (let index = 0; index < windowSize; index++) track = count(track, at(index, index % 3 === 0 ? 1002 : 0.3));
    expect([wayOf(track), losesNow(track)]).toEqual(['lossy', true]);
    for (let index = 0; index < 20; index++) track = count(track, at(windowSize + index, 0.3));
    expect([wayOf(track), losesNow(track)]).toEqual(['lossy', false]);
    track = count(track, at(windowSize + 20, 1002));
    expect(losesNow(track)).toBe(true);
  });
});
