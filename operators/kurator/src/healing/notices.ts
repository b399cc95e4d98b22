/** What dependants are told of a fault of what they depend on, its repair and its end: in their status, as Events, by their hook. */
import type { History } from '../brain/incident/history.ts';
import type { Incident, Notice } from '../brain/incident/incident.ts';
import type { Answer } from '../brain/observation.ts';

/** What one service was last told about those that it depends on. */
export function noticeFor(
  name: string,
  dependsOn: readonly string[],
  historyOf: (dependency: string) => History | undefined,
): Notice | undefined {
  const all = dependsOn.flatMap((dependency) => historyOf(dependency)?.incident?.notices ?? []);
  return all
    .filter(({ to }) => to === name)
    .toSorted((a, b) => a.at - b.at)
    .at(-1);
}

/** In a sentence, for the dependant's status. */
export function noticeInWords({ at, reason }: Notice): string {
  return `${new Date(at).toISOString()}: ${reason}`;
}

/** What a hook is POSTed. */
export interface HookCall {
  readonly notice: string;
  readonly phase: Notice['phase'];
  readonly to: string;
  readonly incident: string;
  readonly stage: string;
  readonly cause?: string;
  readonly reason: string;
  readonly at: string;
}

/** The notices that somebody's hook has still to be told of. */
export function unanswered({ notices }: Incident, answers: readonly Answer[]): Notice[] {
  const answered = new Set(answers.map(({ notice }) => notice));
  return notices.filter(({ id }) => !answered.has(id));
}

export function hookCall({ id, stage, diagnosis }: Incident, notice: Notice): HookCall {
  return {
    notice: notice.id,
    phase: notice.phase,
    to: notice.to,
    incident: id,
    stage,
    ...(diagnosis && { cause: diagnosis.cause }),
    reason: notice.reason,
    at: new Date(notice.at).toISOString(),
  };
}
