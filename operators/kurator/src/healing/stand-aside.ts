/**
 * A round for a Kurator that can't be looked after: its target is gone, somebody else's, or its spec can't be followed. An
 * incident that is open does not wait for that: it is closed or handed over, on record and told as any other end.
 */
import type { AuthorResult } from '@kurator/sdk';
import { withdraw } from '../brain/recovery/withdraw.ts';
import { serviceSpec } from '../brain/spec-defaults.ts';
import { writeStatus } from '../recording/write-status.ts';
import type { Kurator } from '../resources/kurator.ts';
import type { Round } from './case.ts';
import type { NoCase } from './case-of.ts';
import { dependantsOf } from './dependencies.ts';
import { logStages } from './log-stages.ts';
import { type Memory, memoryOf, stillUntold } from './memory.ts';
import { keepRecord } from './record.ts';
import { statusWithoutCase } from './status.ts';
import { remindersOf, tell } from './tell.ts';
import { tellDependants } from './tell-dependants.ts';
import { toolsOf } from './tools.ts';

/** It may come back any time, and that is seen; only what nobody says is asked for. */
const askAgain = 60_000;
const atOnce = 20;

/** Shows why, ends what was open, and tells whoever has to know. */
export async function standAside(round: Round, why: NoCase): Promise<AuthorResult<Kurator>> {
  const { ward, mind, kurator, context, now } = round;
  ward.checkups.plan(mind, []);
  const before = memoryOf(kurator, now);
  const spec = mind.spec ?? serviceSpec({ name: mind.name });
  const ended = withdraw(spec, before.history, { reason: why.problem, isGone: why.isGone }, now);
  const { untold: _, workload, ...rest } = before;
  const untold = stillUntold(before, ended.notifications, mind.told);
  const memory: Memory = {
    ...rest,
    history: ended.history,
    ...(workload && !why.isOther && { workload }),
    ...(untold.length > 0 && { untold }),
  };
  mind.written = await writeStatus(kurator, statusWithoutCase(kurator, why, memory), toolsOf(round));
  logStages(context.log, before.history, ended);
  Object.assign(mind, { memory, evidence: undefined, seen: undefined });
  mind.told.clear();
  mind.outcomes.clear();
  const isNew = ward.weather.note(mind.name, memory.history, undefined);
  if (isNew) ward.wake(dependantsOf(kurator, context).map(({ name }) => name));
  await tell(round, ended, memory);
  if (ended.incident) await keepRecord(round, ended.incident, memory);
  tellDependants(round, ended, memory, spec.coordination.deadline);
  const again = why.isOther ? now + atOnce : Math.min(now + askAgain, remindersOf(mind, now) ?? now + askAgain);
  return { requeueAfter: Math.max(atOnce, again - ward.now()) };
}
