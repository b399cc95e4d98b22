/**
 * One round for one Kurator: look, think, write down, and only then do and tell. If writing fails, nothing is done and
 * the thought is forgotten; if the operator dies after it, its successor finds what is to be done where it was written.
 */
import { type AuthorResult, conditionOf, isConflict } from '@kurator/sdk';
import type { Thought } from '../brain/think.ts';
import { writeStatus } from '../recording/write-status.ts';
import { Kurator } from '../resources/kurator.ts';
import { applyScale, decideScale } from '../scaling/scale-service.ts';
import { heldBackBefore } from '../serving/hold-back.ts';
import { act } from './act.ts';
import type { Case, Context, Round } from './case.ts';
import { caseOf } from './case-of.ts';
import { consider } from './consider.ts';
import { keepIncidents } from './keep-incidents.ts';
import { logStages } from './log-stages.ts';
import { type Memory, stillUntold } from './memory.ts';
import { type Mind, nameOf, newest } from './mind.ts';
import { noticeInWords } from './notices.ts';
import { record } from './record.ts';
import { standAside } from './stand-aside.ts';
import { statusOf, statusWithoutCase } from './status.ts';
import { remindersOf, tell } from './tell.ts';
import { tellDependants } from './tell-dependants.ts';
import { toolsOf } from './tools.ts';
import type { Ward } from './ward.ts';

/** At the latest after this long a service is thought about again, even if nothing happens. */
const calmRound = 60_000;
const shortestRound = 20;
/** Who misses a role is about to be given it, what one waits for is about to be seen well: nobody says when. */
const soon = 5000;
/** So that services that began together don't stay together. */
const jitter = 0.2;

/** Looks after one Kurator. What keeps failing is shown on it. */
export async function heal(ward: Ward, cached: Kurator, context: Context): Promise<AuthorResult<Kurator>> {
  const mind = ward.minds.of(cached);
  ward.look = context;
  ward.learn(context);
  tellOfChange(ward, mind, cached, context);
  const round: Round = { ward, mind, kurator: newest(cached, mind), context, now: ward.now() };
  try {
    const result = await lookAfter(round);
    mind.failingSince = undefined;
    return result;
  } catch (error) {
    context.signal.throwIfAborted();
    mind.failingSince ??= round.now;
    if (context.failures >= patience && !isConflict(error)) await showFailure(round, error);
    throw error;
  }
}

/** Who depends on it may do so no more, or from now on. */
function tellOfChange(ward: Ward, mind: Mind, { metadata }: Kurator, context: Context): void {
  if (mind.generation === metadata.generation) return;
  const isNew = mind.generation === undefined;
  mind.generation = metadata.generation;
  if (!isNew) ward.wake(context.byIndex(Kurator, 'dependsOn', mind.name).map(nameOf));
}

async function lookAfter(round: Round): Promise<AuthorResult<Kurator>> {
  const found = await caseOf(round);
  if ('problem' in found) return await standAside(round, found);
  const thought = consider(found);
  const memory = memoryAfter(found, thought);
  const scaling = decideScale(found, thought);
  await writeDown(found, thought, memory, statusOf(found, thought, memory, scaling));
  await carryOn(found, thought, memory);
  if (scaling && thought.actions.length === 0) await applyScale(found, scaling);
  return { requeueAfter: nextRound(found, thought) };
}

/** What is to be written before anything is done. */
function memoryAfter({ mind, memory, served }: Case, thought: Thought): Memory {
  const { history } = thought;
  const { answers: before = [], untold: _, heldBack: held, ...rest } = memory;
  const notices = new Set(history.incident?.notices.map(({ id }) => id));
  const answers = [...before, ...mind.answers].filter(({ notice }) => notices.has(notice));
  const toTell = stillUntold(memory, thought.notifications, mind.told);
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
  found: Case,
  thought: Thought,
  memory: Memory,
  status: ReturnType<typeof statusOf>,
): Promise<void> {
  const { ward, mind, kurator, context, relations, now } = found;
  const outcomes = [...mind.outcomes.keys()];
  const answered = mind.answers.length;
  // Others think meanwhile: a repair that is about to begin counts for them already.
  const isNew = ward.weather.note(mind.name, thought.history, thought.evidence);
  if (thought.beginsRepair) ward.weather.began(mind.name, now);
  try {
    mind.written = await writeStatus(kurator, status, toolsOf(found));
  } catch (error) {
    ward.weather.note(mind.name, found.memory.history, thought.evidence);
    throw error;
  }
  ward.tally.thought(found.memory.history, thought);
  logStages(context.log, found.memory.history, thought);
  mind.memory = memory;
  for (const id of outcomes) mind.outcomes.delete(id);
  // They are off the list that was just written.
  mind.told.clear();
  mind.answers.splice(0, answered);
  const { notice } = relations;
  if (notice && noticeInWords(notice) !== kurator.status?.dependencyNotice) {
    context.event('Normal', 'DependencyNotice', notice.reason, { action: 'Tell' });
  }
  tellOfRefusal(found);
  const dependants = relations.dependants.map(({ name }) => name);
  if (isNew) ward.wake(dependants);
  // That it is still well is no news, but for those who wait to hear just that.
  else if (thought.evidence.condition === 'up') ward.wake(ward.waiting(dependants));
  const isOpened = !found.memory.history.incident && thought.history.incident;
  if (isOpened) ward.suspect(relations.dependsOn);
  if (thought.diagnosis?.cause === 'dependency') ward.ask(relations.dependsOn);
}

/** Once: that it may not depend on what it names is on its status from now on. */
function tellOfRefusal({ kurator, relations, context }: Case): void {
  const { reason, message = '' } = relations.problem ?? {};
  const before = conditionOf(kurator.status?.conditions, 'DependenciesResolved');
  if (reason !== 'DependencyNotPermitted' || before?.message === message) return;
  context.event('Warning', reason, message.slice(0, 1024), { action: 'Tell' });
}

/** What follows from a thought that is written down. */
async function carryOn(found: Case, thought: Thought, memory: Memory): Promise<void> {
  await tell(found, thought, memory);
  await record(found, thought, memory);
  tellDependants(found, thought, memory, found.spec.coordination.deadline);
  await act(found, thought);
  await keepIncidents(found, memory);
}

/** One or two failures may be a server that restarts: nobody needs to hear of them. */
const patience = 2;
/** Whoever fails for so long has nobody who looks after it: an open incident is a person's. */
const longestFailure = 15 * 60_000;

/** What can't be shown is shown with the next failure; the failure itself must not be lost for it. */
async function showFailure(round: Round, error: unknown): Promise<void> {
  const { mind, kurator, context, now } = round;
  const message = error instanceof Error ? error.message : String(error);
  context.event('Warning', 'HealingFailed', message.slice(0, 1024), { action: 'Heal' });
  try {
    const why = { reason: 'HealingFailed', problem: message, isGone: false };
    if (now - (mind.failingSince ?? now) >= longestFailure) await standAside(round, why);
    else mind.written = await writeStatus(kurator, statusWithoutCase(kurator, why), toolsOf(round));
  } catch (trouble) {
    context.signal.throwIfAborted();
    context.log.warn('a failure could not be shown', { error: trouble });
  }
}

/** When to think again if nothing happens until then. */
function nextRound({ mind, spec, now, ward }: Case, { until, history }: Thought): number {
  const proven = history.proving && history.proving.since + spec.recovery.provenAfter;
  const gauged = spec.scaling && ward.gauges.dueAt(mind);
  const permitted = mind.missingRoles.size > 0 ? now + soon : undefined;
  const followed = history.incident?.stage === 'waitingForDependency' ? now + soon : undefined;
  const times = [until, proven, gauged, permitted, followed, remindersOf(mind, now)].filter(
    (time) => time !== undefined,
  );
  // Later than when it was looked: writing and doing took its time.
  const left = Math.min(...times, now + calmRound * (1 - jitter * Math.random())) - ward.now();
  return Math.max(shortestRound, Math.ceil(left));
}
