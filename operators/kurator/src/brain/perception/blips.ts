/**
 * Failures by share. Whoever fails one request in three hardly ever fails three times in a row, and yet is not well. So
 * *blips* are counted: failures that were over before they made the check failing. An outage is a row of failures, and no
 * blip; nor is a connection that was not opened: that is loss, which has a count of its own.
 *
 * Blips are counted in windows of {@link windowOfTrials} trials. A target wavers when the last one, two or three windows
 * hold more blips than one that fails {@link tolerated} of the time would show once in a million times (an exact binomial
 * tail). One failure in three is found within two windows in at least 99 of 100 trials, and one in a hundred raises no
 * alarm in 10,000 windows: blips.test.ts counts both.
 */
import type { Millis } from '../time.ts';
import { tail } from './packet-loss.ts';

/** Trials, and those of them that were blips. */
export interface BlipCount {
  readonly trials: number;
  readonly blips: number;
}

/** What is remembered of one check's blips. */
export interface BlipTrack {
  /** Full ones, the newest last; never more than three. */
  readonly windows: readonly BlipCount[];
  readonly filling: BlipCount;
  /** The last few trials, the newest last: whether each was a blip. */
  readonly recent: readonly boolean[];
  readonly wavers: boolean;
  /** When the first blip was seen of those that are remembered. */
  readonly since?: Millis;
}

/** Trials in a window. */
export const windowOfTrials = 30;
/** Failures that are nobody's business. */
const tolerated = 0.02;
const windowsKept = 3;
const alarm = 1e-6;
/** The alarm ends with a window that one who is well shows more often than this: with one blip, or none. */
const allClear = 0.3;
/** A row of failures that chance brings about less often than this is an outage. */
const hardlyByChance = 1e-4;
/** Trials that say how it is just now: a window also holds what was before. */
const recentTrials = 10;

const none: BlipCount = { trials: 0, blips: 0 };

/** Nothing counted yet. */
export const freshBlips: BlipTrack = { windows: [], filling: none, recent: [], wavers: false };

/** Takes one trial in: one more answer that was well, after none or a few that were not. */
export function tried(track: BlipTrack, isBlip: boolean, at: Millis): BlipTrack {
  const { trials, blips } = track.filling;
  const filling = { trials: trials + 1, blips: blips + (isBlip ? 1 : 0) };
  const recent = [...track.recent.slice(1 - recentTrials), isBlip];
  const counted =
    filling.trials < windowOfTrials ? { ...track, filling, recent } : closed({ ...track, recent }, filling);
  if (seenOf(counted).blips === 0) return counted.since === undefined ? counted : withoutSince(counted);
  return counted.since === undefined ? { ...counted, since: at } : counted;
}

function withoutSince({ since: _, ...track }: BlipTrack): BlipTrack {
  return track;
}

function closed(track: BlipTrack, full: BlipCount): BlipTrack {
  const isOver = track.wavers && tail(full.trials, full.blips, tolerated) > allClear;
  // What was before the end of an alarm must not raise it again.
  const windows = isOver ? [full] : [...track.windows, full].slice(-windowsKept);
  const isAlarm = [1, 2, 3].some((last) => {
    const { trials, blips } = sum(windows.slice(-last));
    return tail(trials, blips, tolerated) <= alarm;
  });
  return { ...track, windows, filling: none, wavers: isAlarm || (track.wavers && !isOver) };
}

/** Everything that is remembered. */
export function seenOf({ windows, filling }: BlipTrack): BlipCount {
  return sum([...windows, filling]);
}

function sum(counts: readonly BlipCount[]): BlipCount {
  return counts.reduce((all, { trials, blips }) => ({ trials: all.trials + trials, blips: all.blips + blips }), none);
}

/** Whether the others were tried often enough to compare with. */
export function isComparable(others: readonly BlipTrack[]): boolean {
  return sum(others.map(seenOf)).trials >= windowOfTrials;
}

/**
 * Whether it alone wavers: what it shows is next to impossible for one that is like the others, even if these are worse
 * than they have shown.
 */
export function standsOut(mine: BlipTrack, others: readonly BlipTrack[]): boolean {
  if (!isComparable(others)) return false;
  const { trials, blips } = sum(others.map(seenOf));
  const atMost = Math.max(tolerated, (blips + 2 * Math.sqrt(blips) + 3) / trials);
  const own = seenOf(mine);
  return atMost < 1 && tail(own.trials, own.blips, atMost) <= alarm;
}

/** Whether a row of failures may be chance, for ones who fail as often as these just do. */
export function mayBeChance(row: number, all: readonly BlipTrack[]): boolean {
  const recent = all.flatMap((track) => track.recent);
  const blips = recent.filter(Boolean).length;
  return blips > 0 && ((blips + 1) / (recent.length + 2)) ** row > hardlyByChance;
}
