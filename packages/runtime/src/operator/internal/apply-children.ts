/** Applies a set of children in the order in which they need each other. */
import type { KubernetesObject } from '@kurator/client';
import { RuntimeError } from '../../error.ts';
import type { Child } from '../child.ts';
import { ChildrenError, type FailedChild } from '../children-error.ts';
import { rankOf } from './kind-order.ts';

export type ApplyOne = (child: Child) => Promise<KubernetesObject>;

/** Applies a set. Whatever fails, all that doesn't need it is applied; then the failures are thrown as one. */
export async function applyChildren(
  children: Readonly<Record<string, Child>>,
  apply: ApplyOne,
): Promise<Record<string, KubernetesObject>> {
  checkOrder(children);
  const waiting = new Map(Object.entries(children));
  const applied: Record<string, KubernetesObject> = {};
  const failed = new Map<string, FailedChild>();
  while (waiting.size > 0) {
    heldBack(waiting, failed);
    const next = nextOf(waiting);
    for (const [name] of next) waiting.delete(name);
    const attempts = next.map(async ([name, child]) => {
      try {
        applied[name] = await apply(child);
      } catch (error) {
        failed.set(name, { name, child, error });
      }
    });
    await Promise.all(attempts);
  }
  if (failed.size > 0) throw new ChildrenError([...failed.values()]);
  return applied;
}

/** Those that wait for nobody and are of the kinds that come first. */
function nextOf(waiting: ReadonlyMap<string, Child>): [string, Child][] {
  const free = [...waiting].filter(([, { options }]) => !options.after?.some((name) => waiting.has(name)));
  const first = Math.min(...free.map(([, { type }]) => rankOf(type)));
  return free.filter(([, { type }]) => rankOf(type) === first);
}

/** Moves those that need something that failed to where it is, until there are no more. */
function heldBack(waiting: Map<string, Child>, failed: Map<string, FailedChild>): void {
  for (let moved = true; moved; ) {
    moved = false;
    for (const [name, child] of waiting) {
      const because = child.options.after?.find((other) => failed.has(other));
      if (because === undefined) continue;
      waiting.delete(name);
      failed.set(name, { name, child, heldBackBy: because });
      moved = true;
    }
  }
}

function checkOrder(children: Readonly<Record<string, Child>>): void {
  const visited = new Set<string>();
  const visit = (name: string, path: readonly string[]): void => {
    if (path.includes(name)) {
      const cycle = [...path.slice(path.indexOf(name)), name].join(' after ');
      throw wrong(`the children wait for each other: ${cycle}`, 'take one of these out of its `after`');
    }
    if (visited.has(name)) return;
    for (const other of children[name]?.options.after ?? []) {
      if (!Object.hasOwn(children, other)) {
        const names = Object.keys(children).join(', ');
        throw wrong(`${name} comes after "${other}", which is not in the set`, `name one of ${names}`);
      }
      visit(other, [...path, name]);
    }
    visited.add(name);
  };
  for (const name of Object.keys(children)) visit(name, []);
}

function wrong(message: string, remedy: string): RuntimeError {
  return new RuntimeError('KUR_RUNTIME_CHILD_ORDER', message, { remedy });
}
