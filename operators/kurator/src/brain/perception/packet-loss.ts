/**
 * Packet loss on one path, from nothing but how long connections take to open. A lost SYN, or a lost answer to it, is
 * sent again after 1 s, then 3 s: the kernel's own timers, which no slow application can imitate. So every opening is a
 * row of trials of one exchange of packets: as many lost as the timers tell, and one that came through.
 *
 * Trials are counted in windows. A path is lossy when the last one, two or three windows hold more losses than a path
 * that loses {@link tolerated} of its packets would show once in a million times (an exact binomial tail). With windows
 * of {@link windowSize} openings, loss of 20 % is found within three windows in more than 99 of 100 trials, and a path
 * that loses 1 % raises no alarm in a thousand windows: packet-loss.test.ts counts both.
 */
import type { PathSample } from '../observation.ts';
import { type Millis, minute, second } from '../time.ts';

/** Openings of a connection, counted. */
export interface LossWindow {
  readonly openings: number;
  /** Exchanges of packets that were tried, and those of them that were lost. */
  readonly trials: number;
  readonly lost: number;
}

/** What is remembered of one path. */
export interface LossTrack {
  /** Full ones, the newest last; never more than three. */
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
/** Loss that is nobody's business. */
const tolerated = 0.02;
const windowsKept = 3;
const alarm = 1e-6;
/** The alarm ends with a window that such a path shows more often than this: with one loss, or none. */
const allClear = 0.3;
/** So many openings in a row may fail by chance. */
const silenceOfLoss = 2;
/** A path that shows what {@link tolerated} loss would show less often than this is not called clear: it may be one of many. */
const unclearBelow = 0.1;
/** Counts this old say nothing about now. */
const staleAfter = 30 * minute;

const empty: LossWindow = { openings: 0, trials: 0, lost: 0 };

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
    lost: filling.lost + lost,
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
  const { windows, verdict } = track;
  const isOver = verdict === 'lossy' && tail(full.trials, full.lost, tolerated) > allClear;
  // What was before the end of an alarm must not raise it again.
  const kept = isOver ? [full] : [...windows, full].slice(-windowsKept);
  const isLossy = (verdict === 'lossy' && !isOver) || [1, 2, 3].some((last) => isImprobable(sum(kept.slice(-last))));
  const hasChanged = isLossy !== (verdict === 'lossy');
  return {
    ...track,
    windows: kept,
    filling: empty,
    verdict: isLossy ? 'lossy' : 'clear',
    closedAt: at,
    ...(hasChanged && { changedAt: at }),
  };
}

function isImprobable({ trials, lost }: LossWindow): boolean {
  // Where hardly anything comes through, it is more than loss.
  return trials - lost >= windowSize / 4 && tail(trials, lost, tolerated) <= alarm;
}

function sum(windows: readonly LossWindow[]): LossWindow {
  return windows.reduce((all, { openings, trials, lost }) => ({
    openings: all.openings + openings,
    trials: all.trials + trials,
    lost: all.lost + lost,
  }));
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
  const { trials, lost } = sum([...windows, filling]);
  return trials === 0 ? undefined : lost / trials;
}

/**
 * What the newest openings say, the unfinished window included: whether others are free of loss has to be known before
 * one that is lossy can be called the only one. `unclear` is neither, and will be one of both soon.
 */
export function wayOf({ windows, filling, verdict }: LossTrack): 'lossy' | 'clear' | 'unclear' {
  if (verdict === 'lossy') return 'lossy';
  const { trials, lost } = sum([windows.at(-1) ?? empty, filling]);
  if (trials < windowSize / 2) return 'unclear';
  return lost === 0 || tail(trials, lost, tolerated) > unclearBelow ? 'clear' : 'unclear';
}

/** Whether any opening was counted. */
export function hasSeen({ windows, filling }: LossTrack): boolean {
  return windows.length > 0 || filling.openings > 0;
}

/** Whether the window that is filling holds a loss: no alarm, but a reason to look more often. */
export function hintsAtLoss({ filling, windows }: LossTrack): boolean {
  return filling.lost > 0 || (windows.at(-1)?.lost ?? 0) > 1;
}

/** The probability of `least` or more successes in `trials` of probability `share`: an exact sum. */
export function tail(trials: number, least: number, share: number): number {
  if (least <= 0) return 1;
  const odds = share / (1 - share);
  let term = (1 - share) ** trials;
  let below = 0;
  let above = 0;
  for (let successes = 0; successes <= trials; successes++) {
    if (successes < least) below += term;
    else above += term;
    term *= ((trials - successes) / (successes + 1)) * odds;
  }
  // The small one of the two is the exact one.
  return above < 0.5 ? above : 1 - below;
}
