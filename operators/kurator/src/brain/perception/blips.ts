/**
 * Failures by share. Whoever fails one request in three hardly ever fails three times in a row, and yet is not well. So
 * *blips* are counted: failures that were over before they made the check failing. An outage is a row of failures, and no
 * blip; nor is a connection that was not opened: that is loss, which has a count of its own.
 *
 * Blips are counted in windows of {@link windowOfTrials} trials, and a target wavers while these raise an alarm. One failure
 * in three is found within two windows in at least 99 of 100 trials, and one in a hundred raises no alarm in 10,000 windows:
 * blips.test.ts counts both.
 */
import type { Millis } from '../time.ts';
import { type Count, closeWindow, isImprobable, sum, tolerated } from './windows.ts';

/** What is remembered of one check's blips. */
export interface BlipTrack {
  /** Full ones, as they are kept: what went wrong was a blip. */
  readonly windows: readonly Count[];
  readonly filling: Count;
  /** The last few trials, the newest last: whether each was a blip, and when that was known. */
  readonly recent: readonly { readonly at: Millis; readonly isBlip: boolean }[];
  readonly wavers: boolean;
  /** When the first blip was seen of those that are remembered. */
  readonly since?: Millis;
}

/** Trials in a window. */
export const windowOfTrials = 30;
/** A row of failures that chance brings about less often than this is an outage. */
const hardlyByChance = 1e-4;
/** Trials that say how it is just now: a window also holds what was before. */
const recentTrials = 10;

const none: Count = { trials: 0, wrong: 0 };

/** Nothing counted yet. */
export const freshBlips: BlipTrack = { windows: [], filling: none, recent: [], wavers: false };

/** Takes one trial in: one more answer that was well, after none or a few that were not. */
export function tried(track: BlipTrack, isBlip: boolean, at: Millis): BlipTrack {
  const { trials, wrong } = track.filling;
  const filling = { trials: trials + 1, wrong: wrong + (isBlip ? 1 : 0) };
  const recent = [...track.recent.slice(1 - recentTrials), { at, isBlip }];
  const counted =
    filling.trials < windowOfTrials ? { ...track, filling, recent } : closed({ ...track, recent }, filling);
  if (seenOf(counted).wrong === 0) return counted.since === undefined ? counted : withoutSince(counted);
  return counted.since === undefined ? { ...counted, since: at } : counted;
}

function withoutSince({ since: _, ...track }: BlipTrack): BlipTrack {
  return track;
}

function closed(track: BlipTrack, full: Count): BlipTrack {
  const { windows, isAlarm } = closeWindow({ windows: track.windows, isAlarm: track.wavers }, full);
  return { ...track, windows, filling: none, wavers: isAlarm };
}

/** Everything that is remembered. */
export function seenOf({ windows, filling }: BlipTrack): Count {
  return sum([...windows, filling]);
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
  const { trials, wrong } = sum(others.map(seenOf));
  const atMost = Math.max(tolerated, (wrong + 2 * Math.sqrt(wrong) + 3) / trials);
  return atMost < 1 && isImprobable(seenOf(mine), atMost);
}

/** A row of failures, while others go on. */
export interface Row {
  readonly length: number;
  readonly since: Millis;
  /** How many of the others have begun to fail, and may be well again with the next trial: each may be a blip. */
  readonly begun: number;
}

/**
 * Whether a row of failures may be chance, for ones who fail as often as these did in their last trials, or as they do since it
 * began: where all begin to fail now and then, the trials before say nothing about it.
 */
export function mayBeChance({ length, since, begun }: Row, all: readonly BlipTrack[]): boolean {
  const recent = all.flatMap((track) => track.recent);
  return [recent, recent.filter(({ at }) => at >= since)].some((trials) => {
    const blips = trials.filter(({ isBlip }) => isBlip).length + begun;
    return blips > 0 && ((blips + 1) / (trials.length + begun + 2)) ** length > hardlyByChance;
  });
}
