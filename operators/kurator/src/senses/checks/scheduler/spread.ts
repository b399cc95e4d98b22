/** When a check is due: spread over its period by its name, moved a little each time, and never all at once. */

import type { CheckKey } from '../check.ts';
import type { ProbeRun, StartProbe } from '../probes/probe-run.ts';
import type { Lane } from './fair-gate.ts';

/** A number from 0 to 1 that is the same for a check on every run and every replica: FNV-1a over its names. */
export function phaseOf({ target, check }: CheckKey): number {
  let hash = 0x811c9dc5;
  const mix = (text: string) => {
    for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  };
  mix(target);
  mix('\n');
  mix(check);
  // FNV leaves names that differ only at their end close together: the finisher of MurmurHash3 parts them.
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}

/** The next time that is due, and how many whole periods were passed over because the run before took so long. */
export interface NextDue {
  /** It may be in the past, by less than a period: such a check is late, but not left out. */
  readonly due: number;
  readonly missed: number;
}

/**
 * One interval after the last time it was due, shortened by a share of it from 0 to 1. From the last *due* time, not
 * the last start: a check that came late doesn't push all later ones.
 */
export function nextDue(lastDue: number, intervalMs: number, shorten: number, now: number): NextDue {
  const due = lastDue + intervalMs * (1 - shorten);
  const missed = Math.max(0, Math.floor((now - due) / intervalMs));
  return { due: due + missed * intervalMs, missed };
}

export interface ScheduledEntry {
  readonly id: number;
  readonly start: StartProbe;
  readonly lane: Lane<ScheduledEntry>;
  readonly timeoutMs: number;
  intervalMs: number;
  /** `idle` ones are in the queue of what is due; `waiting` ones are held back by the gate. */
  state: 'idle' | 'waiting' | 'running' | 'removed';
  /** When it was last regularly due: where the next time is counted from. */
  lastDue: number;
  /** When the present run was due. */
  due: number;
  /** The present run was asked for, besides the regular ones. */
  isExtra: boolean;
  /** Another run was asked for while this one ran. */
  again: boolean;
  startedAt: number;
  lagAtStart: number;
  /** The loop's lag when the deadline was last set. */
  lagAtDeadline: number;
  /** The deadline was put off already, because the loop was held up. */
  extended: boolean;
  run: ProbeRun | undefined;
}
