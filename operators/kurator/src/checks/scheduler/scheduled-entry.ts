/** A check as the loop holds it. */
import type { ProbeRun, StartProbe } from '../probes/probe-run.ts';
import type { Lane } from './fair-gate.ts';

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
