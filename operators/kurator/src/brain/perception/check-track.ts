/** One check of one target over time: how many results in a row, and what they make it. */
import type { CheckOutcome, CheckResult } from '../observation.ts';
import type { CheckSpec } from '../spec.ts';
import type { Millis } from '../time.ts';
import { type BlipTrack, freshBlips, tried } from './blips.ts';
import { freshTempo, paused, type Tempo, timed } from './tempo.ts';

/** What is remembered of a check's results. */
export interface CheckTrack {
  /** Which check this is of: see `CheckSpec.definition`. */
  readonly definition: string;
  readonly verdict: CheckOutcome;
  /** In a row, by now. */
  readonly failures: number;
  readonly successes: number;
  /** How long its answers take. */
  readonly tempo: Tempo;
  /** How often it failed for a moment. */
  readonly blips: BlipTrack;
  /** The end of the newest result, and of the newest that was not unknown. */
  readonly lastAt: Millis;
  readonly knownAt: Millis;
  /** Since when all results were unknown; missing when the newest was not. */
  readonly unknownSince?: Millis;
  /** When the first failure in a row was seen. */
  readonly failingSince?: Millis;
  /** When the newest healthy run began, and the first of those that came in a row with it. */
  readonly healthyAsOf?: Millis;
  readonly healthySince?: Millis;
  /** The newest failures in a row, as many as make it failing. */
  readonly errors: readonly { readonly kind: string; readonly at: Millis }[];
  readonly message?: string;
  readonly certificateExpiresAt?: Millis;
}

/** Nothing seen yet. */
export const freshTrack: CheckTrack = {
  definition: '',
  verdict: 'unknown',
  failures: 0,
  successes: 0,
  tempo: freshTempo,
  blips: freshBlips,
  errors: [],
  lastAt: Number.NEGATIVE_INFINITY,
  knownAt: Number.NEGATIVE_INFINITY,
};

/** How long a check's verdict lasts without a new result. */
export function staleAfter({ slowest, period, timeout }: CheckSpec): Millis {
  return 3 * Math.max(slowest, period) + timeout;
}

/** Takes one result in. Results older than the newest are ignored: they were seen, or were overtaken. */
export function follow(spec: CheckSpec, track: CheckTrack, result: CheckResult): CheckTrack {
  if (result.at <= track.lastAt) return track;
  if (result.outcome === 'unknown') {
    const { unknownSince = result.at } = track;
    return { ...track, definition: spec.definition, lastAt: result.at, unknownSince };
  }
  // A row with a long hole in it is none.
  const row = result.at - track.knownAt > staleAfter(spec) ? { ...freshTrack, tempo: paused(track.tempo) } : track;
  return result.outcome === 'healthy' ? succeeded(spec, row, result) : failed(spec, row, result);
}

function succeeded(spec: CheckSpec, track: CheckTrack, result: CheckResult): CheckTrack {
  const successes = track.successes + 1;
  const healthyAsOf = result.at - result.latencyMs;
  const well = track.verdict === 'healthy' || successes >= spec.recoverAfter;
  return {
    definition: spec.definition,
    verdict: well ? 'healthy' : track.verdict,
    failures: 0,
    successes,
    tempo: timed(track.tempo, result),
    blips: blipsAfter(spec, track, result.at),
    errors: [],
    lastAt: result.at,
    knownAt: result.at,
    healthyAsOf,
    healthySince: (track.successes > 0 ? track.healthySince : undefined) ?? healthyAsOf,
    ...certificate(track, result),
  };
}

/** Whether what was before this answer was a moment's failure, an outage, or nothing. Who was never well only starts. */
function blipsAfter({ failAfter }: CheckSpec, track: CheckTrack, at: Millis): BlipTrack {
  const { failures, errors, healthyAsOf, blips } = track;
  const wasUnreached = failures > 0 && errors.every(({ kind }) => kind === 'connect-timeout');
  if (healthyAsOf === undefined || failures >= failAfter || wasUnreached) return blips;
  return tried(blips, failures > 0, at);
}

function failed(spec: CheckSpec, track: CheckTrack, result: CheckResult): CheckTrack {
  const failures = track.failures + 1;
  return {
    definition: spec.definition,
    verdict: failures >= spec.failAfter ? 'failing' : track.verdict,
    failures,
    successes: 0,
    tempo: timed(track.tempo, result),
    blips: track.blips,
    errors: [...track.errors, { kind: result.errorKind ?? 'failing', at: result.at }].slice(-spec.failAfter),
    lastAt: result.at,
    knownAt: result.at,
    failingSince: track.failingSince ?? result.at,
    ...(track.healthyAsOf !== undefined && { healthyAsOf: track.healthyAsOf }),
    ...(track.healthySince !== undefined && { healthySince: track.healthySince }),
    ...(result.message !== undefined && { message: result.message }),
    ...certificate(track, result),
  };
}

function certificate(track: CheckTrack, result: CheckResult): Pick<CheckTrack, 'certificateExpiresAt'> {
  const certificateExpiresAt = result.certificateExpiresAt ?? track.certificateExpiresAt;
  return certificateExpiresAt === undefined ? {} : { certificateExpiresAt };
}

/** What the track says now: a verdict that is too old says nothing any more. */
export function verdictOf(spec: CheckSpec, track: CheckTrack | undefined, now: Millis): CheckOutcome {
  if (!track || now - track.knownAt > staleAfter(spec)) return 'unknown';
  return track.verdict;
}
