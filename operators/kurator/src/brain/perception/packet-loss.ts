/**
 * Packet loss on one path, from nothing but how long connections take to open. A lost SYN, or a lost answer to it, is
 * sent again after 1 s, then 3 s: the kernel's own timers, which no slow application can imitate. So every opening is a
 * row of trials of one exchange of packets: as many lost as the timers tell, and one that came through.
 *
 * Trials are counted in windows, and a path is lossy while these raise an alarm. With windows of {@link windowSize} openings,
 * loss of 20 % is found within three windows in more than 99 of 100 trials, and a path that loses 1 % raises no alarm in a
 * thousand windows: packet-loss.test.ts counts both.
 */
import type { PathSample } from '../observation.ts';
import { type Millis, minute, second } from '../time.ts';
import { type Count, closeWindow, isImprobable, sum, tail, tolerated } from './windows.ts';

/** Openings of a connection, and what was tried with them: exchanges of packets, of which those went wrong that were lost. */
export interface LossWindow extends Count {
  readonly openings: number;
}

/** What is remembered of one path. */
export interface LossTrack {
  /** Full ones, as they are kept. */
  readonly windows: readonly LossWindow[];
  readonly filling: LossWindow;
  readonly lastAt: Millis;
  readonly verdict: 'unknown' | 'clear' | 'lossy';
  /** When the last window was full. */
  readonly closedAt?: Millis;
  /** When an alarm was last raised or ended. */
  readonly changedAt?: Millis;
  /** Openings in a row, by now, that all failed; missing when the last one did not. */
  readonly silent?: number;
  /** Openings in a row, by now, that lost nothing; missing when the last one did. */
  readonly smooth?: number;
}

/** Openings in a window. */
export const windowSize = 40;
/** So many openings in a row may fail by chance. */
const silenceOfLoss = 2;
/** A path that shows what {@link tolerated} loss would show less often than this is not called clear: it may be one of many. */
const unclearBelow = 0.1;
/** Counts this old say nothing about now. */
const staleAfter = 30 * minute;

const empty: LossWindow = { openings: 0, trials: 0, wrong: 0 };

/** Nothing seen yet. */
export const freshLossTrack: LossTrack = {
  windows: [],
  filling: empty,
  lastAt: Number.NEGATIVE_INFINITY,
  verdict: 'unknown',
};

/**
 * When SYNs are sent again, and how many were lost if one of these came through. Linux doubles its timer (1, 3, 7, 15);
 * since 6.5 it may begin in steps of one second, so 2 s is here as well.
 */
const retransmissions = [
  [1 * second, 1],
  [2 * second, 2],
  [3 * second, 2],
  [7 * second, 3],
  [15 * second, 4],
] as const;
/** After such a timer an exchange takes this long at most. What lies between is a late checker, not a lost packet. */
const exchange = 300;
const timerSlack = 20;

/** How many exchanges of packets were lost before this one ended. */
export function lostExchanges({ connectMs, opened }: Pick<PathSample, 'connectMs' | 'opened'>): number {
  if (!opened) return 1 + [1, 3, 7, 15].filter((at) => at * second < connectMs - timerSlack).length;
  const timer = retransmissions.find(([at]) => connectMs >= at - timerSlack && connectMs <= at + exchange);
  return timer?.[1] ?? 0;
}

/** Neither a quick answer nor a timer's time: the checker was late, and nothing was seen of the path. */
function saysNothing(sample: PathSample): boolean {
  return sample.opened && sample.connectMs > exchange && lostExchanges(sample) === 0;
}

/** Openings in a row that lose nothing, of which a path with 20 % loss has hardly ever so many. */
const smoothAfter = 15;

/** Whether it lost packets only just now. A window takes its time to fill, and the loss may be over before it has. */
export function losesNow({ smooth = 0 }: LossTrack): boolean {
  return smooth < smoothAfter;
}

/** Takes one opening in. Several may end at the same moment: the kernel's timers fire together. */
export function count(track: LossTrack, sample: PathSample): LossTrack {
  const known = sample.at - track.lastAt > staleAfter ? freshLossTrack : track;
  if (saysNothing(sample)) return known;
  const { filling } = known;
  const silent = sample.opened ? 0 : (known.silent ?? 0) + 1;
  // A row of openings that all failed is an outage, and not the dice of a lossy path.
  const lost = silent > silenceOfLoss ? 0 : lostExchanges(sample);
  const grown: LossWindow = {
    openings: filling.openings + 1,
    trials: filling.trials + lost + (sample.opened ? 1 : 0),
    wrong: filling.wrong + lost,
  };
  const smooth = lostExchanges(sample) > 0 ? 0 : (known.smooth ?? 0) + 1;
  const {
    silent: _,
    smooth: _smooth,
    ...counted
  } = grown.openings < windowSize ? { ...known, filling: grown } : close(known, grown, sample.at);
  const lastAt = Math.max(known.lastAt, sample.at);
  return { ...counted, lastAt, ...(silent > 0 && { silent }), ...(smooth > 0 && { smooth }) };
}

function close(track: LossTrack, full: LossWindow, at: Millis): LossTrack {
  const wasLossy = track.verdict === 'lossy';
  const { windows, isAlarm } = closeWindow({ windows: track.windows, isAlarm: wasLossy }, full, isLoss);
  const hasChanged = isAlarm !== wasLossy;
  return {
    ...track,
    windows,
    filling: empty,
    verdict: isAlarm ? 'lossy' : 'clear',
    closedAt: at,
    ...(hasChanged && { changedAt: at }),
  };
}

/** Where hardly anything comes through, it is more than loss. */
function isLoss(count: Count): boolean {
  return count.trials - count.wrong >= windowSize / 4 && isImprobable(count);
}

/**
 * Whether these can be told apart by now: all have filled a window since an alarm was last raised or ended on any of them.
 * Loss that comes over all, or leaves all, is not seen on all at once, and would look like that of one.
 */
export function areComparable(tracks: readonly LossTrack[]): boolean {
  const changedAt = Math.max(...tracks.map((track) => track.changedAt ?? Number.NEGATIVE_INFINITY));
  return tracks.every(({ closedAt = Number.NEGATIVE_INFINITY }) => closedAt >= changedAt);
}

/** The share of exchanges lost, of what is remembered; undefined when nothing was tried. */
export function lossShare({ windows, filling }: LossTrack): number | undefined {
  const { trials, wrong } = sum([...windows, filling]);
  return trials === 0 ? undefined : wrong / trials;
}

/**
 * What the newest openings say, the unfinished window included: whether others are free of loss has to be known before
 * one that is lossy can be called the only one. `unclear` is neither, and will be one of both soon.
 */
export function wayOf({ windows, filling, verdict }: LossTrack): 'lossy' | 'clear' | 'unclear' {
  if (verdict === 'lossy') return 'lossy';
  const { trials, wrong } = sum([windows.at(-1) ?? empty, filling]);
  if (trials < windowSize / 2) return 'unclear';
  return wrong === 0 || tail(trials, wrong, tolerated) > unclearBelow ? 'clear' : 'unclear';
}

/** Whether any opening was counted. */
export function hasSeen({ windows, filling }: LossTrack): boolean {
  return windows.length > 0 || filling.openings > 0;
}

/** Whether the window that is filling holds a loss: no alarm, but a reason to look more often. */
export function hintsAtLoss({ filling, windows }: LossTrack): boolean {
  return filling.wrong > 0 || (windows.at(-1)?.wrong ?? 0) > 1;
}
