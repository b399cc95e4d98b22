/** An incident's decisions, made again from what was recorded: the same, or what would be decided today. Pure. */
import { decideAgain, type Incident as Known, type Moment, type Replay } from '@kurator/operator-kurator/brain';
import type { Incident } from './kinds.ts';

/** One decision of then, beside what comes out of the same today. */
export interface Again {
  readonly at: number;
  /** What was decided then: the stages that were entered. */
  readonly then: readonly string[];
  /** What is decided today. */
  readonly now: readonly string[];
  readonly isSame: boolean;
  readonly cause?: string;
  readonly reasons: readonly string[];
  /** What is to be done about it. */
  readonly actions: readonly string[];
}

/** Empty where nothing was recorded to decide from. */
export function decidedAgain({ status }: Incident): Again[] {
  const known = status?.memory as unknown as Known | undefined;
  const moments = (status?.moments ?? []) as unknown as Moment[];
  return moments.flatMap((moment) => {
    try {
      return [again(decideAgain(moment), known)];
    } catch {
      // Recorded by a version whose moments this one can't read.
      return [];
    }
  });
}

function again({ moment, diagnosis, transitions, actions }: Replay, known: Known | undefined): Again {
  const at = moment.now;
  const before = moment.history.incident?.transitions.length ?? 0;
  const recorded = known?.transitions.filter((one) => one.at === at && one.seq > before) ?? [];
  const then = recorded.map(({ to, reason }) => `${to}: ${reason}`);
  const now = transitions.map(({ to, reason }) => `${to}: ${reason}`);
  return {
    at,
    then,
    now,
    isSame: then.length === now.length && then.every((one, index) => one === now[index]),
    ...(diagnosis && { cause: `${diagnosis.cause} (${diagnosis.confidence})` }),
    reasons: diagnosis?.reasons ?? [],
    actions: actions.map(({ reason }) => reason),
  };
}
