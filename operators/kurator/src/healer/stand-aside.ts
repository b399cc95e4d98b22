/**
 * A pass for a Kurator that can't be looked after: its target is gone, somebody else's, or its spec can't be followed. An
 * incident that is open does not wait for that: it is closed or handed over, on record and told as any other end.
 */

import type { AuthorResult } from '@kurator/sdk';
import { withdraw } from '../brain/recovery/withdraw.ts';
import { serviceSpec } from '../brain/spec-defaults.ts';
import { toolsOf } from '../memory/pass.ts';
import { recordOf, type ServiceRecord, stillUntold } from '../memory/service-record.ts';
import { writeStatus } from '../memory/write-status.ts';
import type { Kurator } from '../resources/kurator.ts';
import { dependantsOf } from '../senses/dependencies.ts';
import { remindersOf, tell } from '../voice/notifications.ts';
import { logStages } from '../voice/stage-log.ts';
import { statusOfObstacle } from '../voice/status.ts';
import { tellDependants } from '../voice/tell-dependants.ts';
import { keepRecord } from './incidents.ts';
import type { HealerPass, Obstacle } from './pass.ts';

/** It may come back any time, and that is seen; only what nobody says is asked for. */
const askAgain = 60_000;
const atOnce = 20;

/** Shows why, ends what was open, and tells whoever has to know. */
export async function standAside(pass: HealerPass, why: Obstacle): Promise<AuthorResult<Kurator>> {
  const { scope, memory, kurator, context, now } = pass;
  scope.checks.plan(memory, []);
  const before = recordOf(kurator, now);
  const spec = memory.spec ?? serviceSpec({ name: memory.name });
  const ended = withdraw(spec, before.history, { reason: why.problem, isGone: why.isGone }, now);
  const { untold: _, workload, ...rest } = before;
  const untold = stillUntold(before, ended.notifications, memory.told);
  const record: ServiceRecord = {
    ...rest,
    history: ended.history,
    ...(workload && !why.isOther && { workload }),
    ...(untold.length > 0 && { untold }),
  };
  memory.written = await writeStatus(kurator, statusOfObstacle(kurator, why, record), toolsOf(pass));
  logStages(context.log, before.history, ended);
  Object.assign(memory, { record, evidence: undefined, seen: undefined });
  memory.told.clear();
  memory.outcomes.clear();
  const isNew = scope.clusterState.note(memory.name, record.history, undefined);
  if (isNew) scope.wake(dependantsOf(kurator, context).map(({ name }) => name));
  await tell(pass, ended, record);
  if (ended.incident) await keepRecord(pass, ended.incident, record);
  tellDependants(pass, ended, record, spec.coordination.deadline);
  const again = why.isOther ? now + atOnce : Math.min(now + askAgain, remindersOf(memory, now) ?? now + askAgain);
  return { requeueAfter: Math.max(atOnce, again - scope.now()) };
}
