/**
 * One pass for one Kurator: look, think, write down, and only then act and tell; the next pass verifies. If writing fails, nothing is done and
 * the thought is forgotten; if the operator dies after it, its successor finds what is to be done where it was written.
 */
import { type AuthorResult, conditionOf, isConflict, messageOf } from '@kurator/sdk';
import type { ScalingDecision } from '../brain/scaling/scale.ts';
import type { Thought } from '../brain/think.ts';
import { carryOut } from '../hands/carry-out.ts';
import { applyScale, decideScale } from '../hands/scale.ts';
import { heldBackBefore } from '../hands/service/hold-back.ts';
import { undescribed } from '../hands/service/release.ts';
import { type Context, toolsOf } from '../memory/pass.ts';
import { newest, type ServiceMemory } from '../memory/service-memory.ts';
import { type ServiceRecord, stillUntold } from '../memory/service-record.ts';
import { writeStatus } from '../memory/write-status.ts';
import { Kurator } from '../resources/kurator.ts';
import { nameOf } from '../resources/lookup.ts';
import { remindersOf, tell } from '../voice/notifications.ts';
import { logStages } from '../voice/stage-log.ts';
import { statusOf, statusOfObstacle } from '../voice/status.ts';
import { noticeInWords, tellDependants } from '../voice/tell-dependants.ts';
import { keepIncidents, recordIncident } from './incidents.ts';
import { look } from './look.ts';
import type { Findings, HealerPass } from './pass.ts';
import { prepare } from './prepare.ts';
import type { HealerScope } from './scope.ts';
import { standAside } from './stand-aside.ts';
import { thinkAbout } from './think.ts';

/** At the latest after this long a service is thought about again, even if nothing happens. */
const calmPass = 60_000;
const shortestPass = 20;
/** Who misses a role is about to be given it, what one waits for is about to be seen well: nobody says when. */
const soon = 5000;
/** So that services that began together don't stay together. */
const jitter = 0.2;

/** Looks after one Kurator. What keeps failing is shown on it. */
export async function heal(scope: HealerScope, cached: Kurator, context: Context): Promise<AuthorResult<Kurator>> {
  const memory = scope.memories.of(cached);
  scope.look = context;
  scope.learn(context);
  tellOfChange(scope, memory, cached, context);
  const pass: HealerPass = { scope, memory, kurator: newest(cached, memory), context, now: scope.now() };
  try {
    const result = await lookAfter(pass);
    memory.failingSince = undefined;
    return result;
  } catch (error) {
    context.signal.throwIfAborted();
    memory.failingSince ??= pass.now;
    if (context.failures >= patience && !isConflict(error)) await showFailure(pass, error);
    throw error;
  }
}

/** Who depends on it may do so no more, or from now on. */
function tellOfChange(scope: HealerScope, memory: ServiceMemory, { metadata }: Kurator, context: Context): void {
  if (memory.generation === metadata.generation) return;
  const isNew = memory.generation === undefined;
  memory.generation = metadata.generation;
  if (!isNew) scope.wake(context.byIndex(Kurator, 'dependsOn', memory.name).map(nameOf));
}

async function lookAfter(pass: HealerPass): Promise<AuthorResult<Kurator>> {
  const prepared = await prepare(pass, pass.scope.mode);
  const found = 'problem' in prepared ? prepared : await look(pass, prepared);
  if ('problem' in found) return await standAside(pass, found);
  const thought = thinkAbout(found);
  const record = recordAfter(found, thought);
  const scaling = decideScale(found, thought);
  await writeDown(found, thought, record, scaling);
  await carryOn(found, thought, record);
  if (scaling && thought.actions.length === 0) await scale(found, scaling);
  return { requeueAfter: nextPass(found, thought) };
}

/** What is to be written before anything is done. */
function recordAfter({ memory, record, served }: Findings, thought: Thought): ServiceRecord {
  const { history } = thought;
  const { answers: before = [], untold: _, heldBack: held, ...rest } = record;
  const notices = new Set(history.incident?.notices.map(({ id }) => id));
  const answers = [...before, ...memory.answers].filter(({ notice }) => notices.has(notice));
  const toTell = stillUntold(record, thought.notifications, memory.told);
  const heldBack = served && heldBackBefore(held, served.wanted, thought.actions);
  return {
    ...rest,
    history,
    ...(heldBack && { heldBack }),
    ...(answers.length > 0 && { answers }),
    ...(toTell.length > 0 && { untold: toTell }),
  };
}

/** Fails if anybody has written the Kurator since it was read. */
async function writeDown(
  found: Findings,
  thought: Thought,
  record: ServiceRecord,
  scaling: ScalingDecision | undefined,
): Promise<void> {
  const { scope, memory, kurator, context, relations, now } = found;
  const outcomes = [...memory.outcomes.keys()];
  const answered = memory.answers.length;
  // Others think meanwhile: a repair that is about to begin counts for them already.
  const isNew = scope.clusterState.note(memory.name, thought.history, thought.evidence);
  if (thought.beginsRepair) scope.clusterState.began(memory.name, now);
  try {
    const status = statusOf({ ...found, unreleased: () => unreleased(found) }, thought, record, scaling);
    memory.written = await writeStatus(kurator, status, toolsOf(found));
  } catch (error) {
    scope.clusterState.note(memory.name, found.record.history, thought.evidence);
    throw error;
  }
  scope.tally.thought(found.record.history, thought);
  logStages(context.log, found.record.history, thought);
  memory.record = record;
  for (const id of outcomes) memory.outcomes.delete(id);
  // They are off the list that was just written.
  memory.told.clear();
  memory.answers.splice(0, answered);
  const { notice } = relations;
  if (notice && noticeInWords(notice) !== kurator.status?.dependencyNotice) {
    context.event('Normal', 'DependencyNotice', notice.reason, { action: 'Tell' });
  }
  tellOfRefusal(found);
  const dependants = relations.dependants.map(({ name }) => name);
  if (isNew) scope.wake(dependants);
  // That it is still well is no news, but for those who wait to hear just that.
  else if (thought.evidence.condition === 'up') scope.wake(scope.waiting(dependants));
  const isOpened = !found.record.history.incident && thought.history.incident;
  if (isOpened) scope.suspect(relations.dependsOn);
  if (thought.diagnosis?.cause === 'dependency') scope.ask(relations.dependsOn);
}

/** Children of a Kurator that adopts what runs, and that would still be deleted with it. */
function unreleased({ kurator, context }: Findings): string[] {
  return undescribed(kurator, context).map(({ type, name }) => `${type.kind} ${name}`);
}

/** Once: that it may not depend on what it names is on its status from now on. */
function tellOfRefusal({ kurator, relations, context }: Findings): void {
  const { reason, message = '' } = relations.problem ?? {};
  const before = conditionOf(kurator.status?.conditions, 'DependenciesResolved');
  if (reason !== 'DependencyNotPermitted' || before?.message === message) return;
  context.event('Warning', reason, message.slice(0, 1024), { action: 'Tell' });
}

/** What follows from a thought that is written down. */
async function carryOn(found: Findings, thought: Thought, record: ServiceRecord): Promise<void> {
  await tell(found, thought, record);
  await recordIncident(found, thought, record);
  tellDependants(found, thought, record, found.spec.coordination.deadline);
  await act(found, thought);
  await keepIncidents(found, record);
}

/** Carries out what is not done yet; how it ended is for the next thought, which follows at once. */
async function act({ memory, objects, context, scope }: Findings, { actions }: Thought): Promise<void> {
  const { client, signal, log } = context;
  const { workload, revisions, target } = objects;
  for (const action of actions) {
    // Turned between the thought and the deed: the next thought lets go of it.
    if (scope.mode !== 'On') break;
    if (memory.outcomes.has(action.id)) continue;
    log.info('acts', { action: action.id, what: action.reason });
    const outcome = await carryOut(action, { client, type: target.type, workload, revisions, now: scope.now, signal });
    memory.outcomes.set(action.id, outcome);
    scope.tally.acted(action.kind, outcome);
    log.info('has acted', { action: action.id, result: outcome.result, message: outcome.message });
  }
  if (actions.length > 0) scope.wake([memory.name]);
}

/** Sets the replicas, unless the switch was turned meanwhile. */
async function scale({ objects, context, memory, scope, now }: Findings, decision: ScalingDecision): Promise<void> {
  if (decision.kind === 'hold' || scope.mode !== 'On') return;
  const result = await applyScale({ objects, context, memory, now, clock: scope.now }, decision);
  scope.tally.scalings.add({ direction: decision.kind, outcome: result });
}

/** One or two failures may be a server that restarts: nobody needs to hear of them. */
const patience = 2;
/** Whoever fails for so long has nobody who looks after it: an open incident is a person's. */
const longestFailure = 15 * 60_000;

/** What can't be shown is shown with the next failure; the failure itself must not be lost for it. */
async function showFailure(pass: HealerPass, error: unknown): Promise<void> {
  const { memory, kurator, context, now } = pass;
  const message = messageOf(error);
  context.event('Warning', 'HealingFailed', message.slice(0, 1024), { action: 'Heal' });
  try {
    const why = { reason: 'HealingFailed', problem: message, isGone: false };
    if (now - (memory.failingSince ?? now) >= longestFailure) await standAside(pass, why);
    else memory.written = await writeStatus(kurator, statusOfObstacle(kurator, why), toolsOf(pass));
  } catch (trouble) {
    context.signal.throwIfAborted();
    context.log.warn('a failure could not be shown', { error: trouble });
  }
}

/** When to think again if nothing happens until then. */
function nextPass({ memory, spec, now, scope }: Findings, { until, history }: Thought): number {
  const proven = history.proving && history.proving.since + spec.recovery.provenAfter;
  const gauged = spec.scaling && scope.usage.dueAt(memory);
  const permitted = memory.missingRoles.size > 0 ? now + soon : undefined;
  const followed = history.incident?.stage === 'waitingForDependency' ? now + soon : undefined;
  const times = [until, proven, gauged, permitted, followed, remindersOf(memory, now)].filter(
    (time) => time !== undefined,
  );
  // Later than when it was looked: writing and doing took its time.
  const left = Math.min(...times, now + calmPass * (1 - jitter * Math.random())) - scope.now();
  return Math.max(shortestPass, Math.ceil(left));
}
