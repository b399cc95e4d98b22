/** Puts rule sets in force in network namespaces, and takes them out again. */
import { TestenvError } from '../../error.ts';
import { run } from '../../internal/run.ts';
import type { Fault } from './fault.ts';
import { additionOf, chainPrefix, type RuleSet, removalOf } from './rule-set.ts';

/**
 * Where a namespace is now, as a path below /proc; undefined once it is gone, and every rule in it with it. Looked up
 * again each time, because the processes that a namespace is found by come and go.
 */
export type NamespacePath = () => Promise<string | undefined>;

/** Adds rules for as long as a fault lasts. */
export async function addRules(fault: Fault, namespace: NamespacePath, set: RuleSet): Promise<void> {
  fault.onHeal(await applyRules(namespace, set));
}

/** Adds rules, and returns what removes them. */
export async function applyRules(namespace: NamespacePath, set: RuleSet): Promise<() => Promise<void>> {
  const path = await namespace();
  if (!path) throw new TestenvError('KUR_TESTENV_FAULT_TARGET', 'the network that the fault was for is gone');
  await restore(path, additionOf(set));
  return () => removeRules(namespace, set);
}

async function removeRules(namespace: NamespacePath, set: RuleSet): Promise<void> {
  const path = await namespace();
  if (!path) return;
  try {
    await restore(path, removalOf(set));
  } catch (error) {
    if (await isThere(namespace, set)) throw error;
  }
}

/** Rules may be gone without us: with the pod, or by somebody's `iptables --flush`. */
async function isThere(namespace: NamespacePath, { table, id }: RuleSet): Promise<boolean> {
  const path = await namespace();
  if (!path) return false;
  const saved = await run(...inNamespace(path, 'iptables-save', ['-t', table])).catch(() => undefined);
  return saved?.stdout.includes(`:${chainPrefix(id)} `) ?? false;
}

async function restore(path: string, input: string): Promise<void> {
  await run(...inNamespace(path, 'iptables-restore', ['--noflush', '--wait']), { input });
}

function inNamespace(path: string, command: string, args: readonly string[]): [string, string[]] {
  return ['nsenter', [`--net=${path}`, '--', command, ...args]];
}
