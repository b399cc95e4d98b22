/** What a declared clean-up means for one object: pure functions, with which the runtime carries it out. */
import type { KubernetesObject } from '@kurator/client';
import { spelledDuration } from '@kurator/client/notation';
import { type Finished, type FinishedCleanup, millisecondsOf } from './cleanup.ts';
import type { Resource } from './definition.ts';
import { stepsOf } from './json-path.ts';

/** What becomes of the children of a deleted object of this resource. */
export function childrenAfter(resource: Resource): 'delete' | 'orphan' | { keepForMilliseconds: number } {
  const { children = 'delete' } = resource.definition.cleanup;
  if (typeof children === 'string') return children;
  return { keepForMilliseconds: millisecondsOf(children.keepFor, 'cleanup.children.keepFor') };
}

/** When an object is to be removed because it is done, in milliseconds since 1970; undefined where it stays. */
export function removalTime(resource: Resource, object: KubernetesObject): number | undefined {
  const { finished } = resource.definition.cleanup;
  if (!finished) return undefined;
  const since = finishedSince(finished.when, object);
  const keep = keptFor(finished.removeAfter, object);
  return since === undefined || keep === undefined ? undefined : since + keep;
}

function finishedSince(when: Finished, object: KubernetesObject): number | undefined {
  if ('condition' in when) {
    const conditions = valueAt(object, '.status.conditions');
    const list = Array.isArray(conditions) ? conditions : [];
    const found = list.find(({ type, status }) => type === when.condition && status === (when.status ?? 'True'));
    return timeOf(found?.lastTransitionTime);
  }
  const value = valueAt(object, when.path);
  return when.in.includes(String(value)) ? timeOf(valueAt(object, when.since)) : undefined;
}

function keptFor(removeAfter: FinishedCleanup['removeAfter'], object: KubernetesObject): number | undefined {
  if (typeof removeAfter !== 'object') return millisecondsOf(removeAfter, 'cleanup.finished.removeAfter');
  const value = valueAt(object, removeAfter.path);
  if (typeof value === 'number') return value * 1000;
  return typeof value === 'string' ? spelledDuration(value) : undefined;
}

function timeOf(text: unknown): number | undefined {
  const time = typeof text === 'string' ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

function valueAt(object: object, path: string): unknown {
  const steps = stepsOf(path) ?? [];
  return steps.reduce<unknown>((value, step) => {
    return 'field' in step ? (value as Record<string, unknown> | undefined)?.[step.field] : undefined;
  }, object);
}
