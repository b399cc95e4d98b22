/** What must be the same before and after something has happened to the operator. */
import { isDeepStrictEqual } from 'node:util';
import type { Live } from './live.ts';
import { readiness, reconciledProblem } from './objects.ts';
import type { Specimen } from './specimens.ts';

/** What people would miss. */
export interface Photograph {
  readonly uid: string | undefined;
  readonly spec: unknown;
  readonly ready: string | undefined;
  /** Whether the operator has done what it says. */
  readonly isDone: boolean;
}

export async function photographed({ client, specimens, signal }: Live): Promise<Map<string, Photograph>> {
  const all = new Map<string, Photograph>();
  for (const { type, ...ref } of specimens) {
    const object = await client.find(type, ref, { signal });
    if (!object) continue;
    const { metadata, spec } = object;
    const isDone = reconciledProblem(object) === undefined;
    all.set(keyOf({ type, ...ref }), { uid: metadata.uid, spec, ready: readiness(object), isDone });
  }
  return all;
}

/** What an object is kept under. */
export function keyOf({ type, namespace, name }: Specimen): string {
  return `${type.kind} ${namespace}/${name}`;
}

/** What has been lost. Pure. One that was not ready may have become so in the meantime. */
export function differences(before: ReadonlyMap<string, Photograph>, after: ReadonlyMap<string, Photograph>): string[] {
  return [...before].flatMap(([name, was]) => {
    const is = after.get(name);
    if (!is) return [`${name} is gone`];
    if (is.uid !== was.uid) return [`${name} is another object`];
    if (!isDeepStrictEqual(is.spec, was.spec)) return [`the spec of ${name} has changed`];
    return was.ready === 'True' && is.ready !== 'True' ? [`${name} is no longer ready`] : [];
  });
}
