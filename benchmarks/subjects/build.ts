/** Makes the operators that take part: our own, and the others with their own tools. */
import { makeClientNode } from './client-node/make.ts';
import { makeControllerRuntime } from './controller-runtime/make.ts';
import { makeJavaOperatorSdk } from './java-operator-sdk/make.ts';
import { makeKopf } from './kopf/make.ts';
import { makeKubeRs } from './kube-rs/make.ts';
import { makeKurator } from './kurator/make.ts';
import type { Subject } from './subject.ts';

const makers: Readonly<Record<string, () => Promise<Subject>>> = {
  kurator: makeKurator,
  'controller-runtime': makeControllerRuntime,
  'kube-rs': makeKubeRs,
  kopf: makeKopf,
  'java-operator-sdk': makeJavaOperatorSdk,
  'client-node': makeClientNode,
};

/** All there are, in the order of the table. */
export const subjectNames: readonly string[] = Object.keys(makers);

/** Those of `names` that can be built here, and why the others can't. */
export async function buildSubjects(names: readonly string[]): Promise<{ subjects: Subject[]; missing: string[] }> {
  const subjects: Subject[] = [];
  const missing: string[] = [];
  for (const name of names) {
    try {
      const make = makers[name];
      if (!make) throw new Error(`there is no such subject; there are ${subjectNames.join(', ')}`);
      subjects.push(await make());
    } catch (error) {
      missing.push(`${name}: ${(error as Error).message}`);
    }
  }
  return { subjects, missing };
}
