/**
 * Carries out what the brain has decided, each action at most once and only on the state that it was decided upon. Where
 * a crash leaves it open whether it was done, that is found out: by the pod's uid, or by the action's id on the workload.
 */

import {
  type Client,
  ClientError,
  evict,
  hasCode,
  isConflict,
  isDisruptionBudget,
  isNotFound,
  messageOf,
  type ResourceType,
} from '@kurator/sdk';
import type { Action, ActionOutcome, ActionResult } from '../brain/incident/incident.ts';
import type { Workload } from '../resources/lookup.ts';
import { actionAnnotation, fieldManager } from '../resources/ownership.ts';
import { type Revision, restartAnnotation, restartedBy } from '../resources/revision.ts';

/** The workload that an action is carried out on, and by whom. */
export interface ActionContext {
  readonly client: Client;
  readonly type: ResourceType<Workload>;
  /** As last seen. */
  readonly workload: Workload;
  readonly revisions: readonly Revision[];
  readonly now: () => number;
  readonly signal?: AbortSignal;
}

/** Does it, or finds that it is done; throws nothing but the caller's own abort. */
export async function carryOut(action: Action, context: ActionContext): Promise<ActionOutcome> {
  const ended = (result: ActionResult, message?: string, spared?: readonly string[]): ActionOutcome => ({
    action: action.id,
    result,
    at: context.now(),
    ...(message && { message: message.slice(0, 500) }),
    ...(spared && { spared }),
  });
  const { metadata } = context.workload;
  const isChanged = metadata.annotations?.[actionAnnotation] === action.id;
  if (isChanged && action.targets.length === 0) return ended('done');
  if (!isChanged && metadata.generation !== action.expect.generation) {
    return ended('superseded', `${context.workload.kind} ${metadata.name} was changed since this was decided`);
  }
  try {
    const problem = await deeds[action.kind](action, context, isChanged);
    return problem ? ended(problem.result, problem.message, problem.spared) : ended('done');
  } catch (error) {
    context.signal?.throwIfAborted();
    return ended('failed', messageOf(error));
  }
}

interface Problem {
  readonly result: ActionResult;
  readonly message: string;
  /** Those that were not let go, where others were taken or the workload was changed. */
  readonly spared?: readonly string[];
}

/** @param isChanged The workload has its change already: only what follows it is left to do. */
type Deed = (action: Action, context: ActionContext, isChanged: boolean) => Promise<Problem | undefined>;

const deeds: Record<Action['kind'], Deed> = {
  evict: takeAway,

  async rollback(action, context, isChanged) {
    if (isChanged) return await follow(action, context);
    const revision = context.revisions.find(({ version }) => version === action.revision);
    if (!revision) return { result: 'failed', message: `revision ${action.revision} is not kept any more` };
    const template: Operation = { op: 'add', path: '/spec/template', value: revision.template };
    return (await change(action, context, template)) ?? (await follow(action, context));
  },

  async roll(action, context) {
    const { annotations } = context.workload.spec?.template.metadata ?? {};
    const restart = annotation(
      '/spec/template/metadata/annotations',
      annotations,
      restartAnnotation,
      restartedBy(action),
    );
    return await change(action, context, restart);
  },

  async scale(action, context) {
    return await change(action, context, { op: 'add', path: '/spec/replicas', value: action.replicas ?? 0 });
  },
};

/** What is taken away after a change belongs to it; but the change was made, whatever comes of this: who stays has his turn later. */
async function follow(action: Action, context: ActionContext): Promise<Problem | undefined> {
  const left = new Map<string, string>();
  for (const target of action.targets) {
    const problem = await takeAway({ ...action, targets: [target] }, context).catch((error: unknown) => {
      context.signal?.throwIfAborted();
      return { message: `${target.name}: ${messageOf(error)}` };
    });
    if (problem) left.set(target.uid, problem.message);
  }
  if (left.size === 0) return undefined;
  return { result: 'done', message: [...left.values()].join('; '), spared: [...left.keys()] };
}

/** Evicts the targets, each by its uid. */
async function takeAway(
  { targets, isForced }: Action,
  { client, workload, signal }: ActionContext,
): Promise<Problem | undefined> {
  const { namespace } = workload.metadata;
  const refusals = new Map<string, string>();
  for (const { name, uid } of targets) {
    try {
      const grace = isForced && { gracePeriodSeconds: 0 };
      await evict(client, { name, namespace }, { preconditions: { uid }, ...grace, ...(signal && { signal }) });
    } catch (error) {
      // It is gone already, or another one has its name: what was wanted.
      if (isNotFound(error) || isConflict(error)) continue;
      if (!isDisruptionBudget(error)) throw error;
      refusals.set(uid, `${name}: ${error.message}`);
    }
  }
  if (refusals.size === 0) return undefined;
  const message = [...refusals.values()].join('; ');
  if (refusals.size === targets.length) return { result: 'refused', message };
  // Those that are gone are a wave of their own; the others have their turn later.
  return { result: 'done', message, spared: [...refusals.keys()] };
}

/** One patch that holds only as long as nobody else has changed the workload, and that says whose it is. */
async function change(
  { id, expect }: Action,
  { client, type, workload, signal }: ActionContext,
  operation: Operation,
): Promise<Problem | undefined> {
  const { metadata } = workload;
  const patch = [
    { op: 'test', path: '/metadata/uid', value: metadata.uid },
    { op: 'test', path: '/metadata/generation', value: expect.generation },
    annotation('/metadata/annotations', metadata.annotations, actionAnnotation, id),
    operation,
  ];
  try {
    await client.patch(type, metadata, patch, { type: 'json', fieldManager, ...(signal && { signal }) });
    return undefined;
  } catch (error) {
    if (!isOutdated(error)) throw error;
    return { result: 'superseded', message: `${workload.kind} ${metadata.name} was changed since this was decided` };
  }
}

interface Operation {
  readonly op: 'add';
  readonly path: string;
  readonly value: unknown;
}

/** Sets one annotation, where there are others or none. */
function annotation(path: string, present: object | undefined, name: string, value: string): Operation {
  if (!present) return { op: 'add', path, value: { [name]: value } };
  return { op: 'add', path: `${path}/${name.replace('/', '~1')}`, value };
}

/** The server calls a patch whose test fails invalid, and names no field. */
function isOutdated(error: unknown): boolean {
  return (
    isConflict(error) ||
    (error instanceof ClientError && hasCode(error, 'KUR_CLIENT_INVALID') && error.causes.length === 0)
  );
}
