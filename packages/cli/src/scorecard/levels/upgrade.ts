/** Level 2, Seamless Upgrades: another version takes over, and nothing of what people have is lost. */

import { resourceType, type UntypedObject } from '@kurator/client';
import { CustomResourceDefinition } from '@kurator/client/apiextensions/v1';
import { compareCrds } from '@kurator/schema';
import type { LevelChecks } from '../check.ts';
import type { Live } from '../live.ts';
import { met, metUnless, notApplicable, unmet, untested } from '../outcome.ts';
import { differences, keyOf, photographed } from '../photograph.ts';
import { rolled, upgradedAndBack } from '../rolling.ts';
import { untilReconciled } from '../specimens.ts';

export const upgrade: LevelChecks = {
  level: 2,
  checks: [
    {
      id: 'upgrade-definitions',
      title: 'this version’s definitions keep what is stored',
      async run(live) {
        if (live.kinds.length === 0) return notApplicable('it has no CRDs of its own');
        const pairs = await definitions(live);
        const harms = pairs.flatMap(([installed, next]) =>
          compareCrds(installed, next)
            .filter(({ severity }) => severity === 'breaking')
            .map(({ path, reason }) => `${next.metadata.name}: ${path}: ${reason}`),
        );
        return metUnless(harms, `${pairs.length} definitions can take the place of those in the cluster`);
      },
    },
    {
      id: 'upgrade-versions',
      title: 'every object can be read in every version that is served',
      async run(live) {
        const pairs = await definitions(live);
        const several = pairs.filter(([{ spec }]) => spec.versions.filter(({ served }) => served).length > 1);
        if (several.length === 0) return notApplicable('each of its CRDs has one version');
        const problems: string[] = [];
        for (const [installed] of several) problems.push(...(await unreadable(live, installed)));
        return metUnless(problems, `${several.length} CRDs have several versions, and convert between them`);
      },
    },
    {
      id: 'upgrade-rolling',
      title: 'its pods are replaced one by one, and somebody is always there',
      disruptive: true,
      run: async (live) => await keeping(live, async () => await rolled(live)),
    },
    {
      id: 'upgrade-image',
      title: 'another version takes over, and the one before again',
      disruptive: true,
      async run(live) {
        const { upgradeTo } = live;
        if (!upgradeTo) return untested('no other image was given', 'give one: --upgrade-to IMAGE');
        return await keeping(live, async () => await upgradedAndBack(live, upgradeTo));
      },
    },
  ],
};

/** Those in the cluster beside those of the bundle. */
async function definitions({ client, kinds, signal }: Live) {
  const pairs: [CustomResourceDefinition, CustomResourceDefinition][] = [];
  for (const { crd } of kinds) {
    const installed = await client.find(CustomResourceDefinition, { name: crd.metadata.name }, { signal });
    if (installed) pairs.push([installed, crd]);
  }
  return pairs;
}

/** Asks for all objects in all versions: each has to be converted. */
async function unreadable({ client, signal }: Live, { spec, metadata }: CustomResourceDefinition): Promise<string[]> {
  const { plural, kind } = spec.names;
  const problems: string[] = [];
  const counts = new Set<number>();
  for (const { name } of spec.versions.filter(({ served }) => served)) {
    const options = { plural, namespaced: spec.scope === 'Namespaced' };
    const type = resourceType<UntypedObject>(`${spec.group}/${name}`, kind, options);
    try {
      counts.add((await client.list(type, { signal })).items.length);
    } catch (error) {
      if (signal.aborted) throw error;
      problems.push(`${metadata.name} as ${name}: ${(error as Error).message}`);
    }
  }
  return counts.size > 1 ? [...problems, `${metadata.name} has more objects in one version than in another`] : problems;
}

/** Does something to the operator, and looks whether all objects are then as they were. */
async function keeping(live: Live, act: () => Promise<string | undefined>) {
  const before = await photographed(live);
  const problem = await act();
  if (problem) return unmet(problem, 'have two replicas, and a readiness probe that tells the truth');
  // One that it had not come to before says nothing about what has happened since.
  const done = live.specimens.filter((specimen) => before.get(keyOf(specimen))?.isDone);
  await untilReconciled(live, done);
  const lost = differences(before, await photographed(live));
  const kept = before.size > 0 ? `${before.size} objects are as they were` : 'there were no objects to lose';
  return lost.length > 0 ? metUnless(lost, '') : met(`it went through; ${kept}`);
}
