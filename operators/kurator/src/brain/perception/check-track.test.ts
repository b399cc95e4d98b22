import { describe, expect, it } from 'vitest';
import type { CheckOutcome } from '../observation.ts';
import { checkSpec } from '../spec-defaults.ts';
import { second } from '../time.ts';
import { type CheckTrack, follow, freshTrack, staleAfter, verdictOf } from './check-track.ts';

const check = checkSpec({ name: 'http', period: 10 * second, failAfter: 3, recoverAfter: 2 });

function after(outcomes: CheckOutcome[], gap = 10 * second): CheckTrack {
  let track = freshTrack;
  outcomes.forEach((outcome, index) => {
    track = follow(check, track, { target: 'a', check: 'http', outcome, at: (index + 1) * gap, latencyMs: 5 });
  });
  return track;
}

const [ok, bad, none] = ['healthy', 'failing', 'unknown'] as const;

describe('a check over time', () => {
  it.each([
    ['nothing is known after one success', [ok], 'unknown'],
    ['healthy after two', [ok, ok], 'healthy'],
    ['still healthy after two failures', [ok, ok, bad, bad], 'healthy'],
    ['failing after three', [ok, ok, bad, bad, bad], 'failing'],
    ['a success in between begins the row anew', [ok, ok, bad, bad, ok, bad, bad], 'healthy'],
    ['unknown results do not break the row', [ok, ok, bad, none, bad, none, bad], 'failing'],
    ['unknown results never make a failure', [ok, ok, none, none, none, none, none], 'healthy'],
    ['still failing after one success', [bad, bad, bad, ok], 'failing'],
    ['healthy again after two', [bad, bad, bad, ok, ok], 'healthy'],
  ])('%s', (_, outcomes, verdict) => {
    expect(after(outcomes as CheckOutcome[]).verdict).toBe(verdict);
  });

  it('says nothing any more once the last known result is too old', () => {
    const track = after([bad, bad, bad]);
    expect(verdictOf(check, track, track.knownAt + staleAfter(check))).toBe('failing');
    expect(verdictOf(check, track, track.knownAt + staleAfter(check) + 1)).toBe('unknown');
    expect(verdictOf(check, undefined, 0)).toBe('unknown');
  });

  it('does not count a row over a long hole', () => {
    expect(after([bad, bad, bad], staleAfter(check) + 1).verdict).toBe('unknown');
  });

  it('ignores what it has already seen', () => {
    const track = after([bad]);
    const again = follow(check, track, { target: 'a', check: 'http', outcome: bad, at: track.lastAt, latencyMs: 5 });
    expect(again).toBe(track);
  });
});
