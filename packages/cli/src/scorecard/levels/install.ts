/** Level 1, Basic Install: it is there, it runs, and does what its objects say. */
import { CustomResourceDefinition } from '@kurator/client/apiextensions/v1';
import { untilRolledOut } from '../../kube/rollout.ts';
import type { LevelChecks } from '../check.ts';
import type { Live } from '../live.ts';
import { conditionsProblem, reconciledProblem } from '../objects.ts';
import { met, metUnless, notApplicable, type Outcome, untested } from '../outcome.ts';
import { untilReconciled } from '../specimens.ts';

export const install: LevelChecks = {
  level: 1,
  checks: [
    {
      id: 'install-deployed',
      title: 'it is deployed',
      async run({ ref, deployment }) {
        const { metadata, spec } = await deployment();
        const version = metadata.labels?.['app.kubernetes.io/version'];
        return met(
          `Deployment ${ref.namespace}/${ref.name}, ${spec?.replicas ?? 1} replicas, ${version ?? 'no version'}`,
        );
      },
    },
    {
      id: 'install-ready',
      title: 'all its replicas are ready',
      async run({ client, ref, deployment, timeoutMs, reporter, signal }) {
        // It may have been deployed a moment ago; what keeps it for longer is said in the error.
        await untilRolledOut(client, ref, { timeoutMs, reporter, signal });
        return met(`${(await deployment()).status?.readyReplicas ?? 0} replicas are ready`);
      },
    },
    {
      id: 'install-crds',
      title: 'its CRDs are served',
      async run({ client, kinds, signal }) {
        if (kinds.length === 0) return notApplicable('it has no CRDs of its own');
        const problems: string[] = [];
        for (const { crd } of kinds) {
          const live = await client.find(CustomResourceDefinition, { name: crd.metadata.name }, { signal });
          problems.push(...servingProblems(crd, live));
        }
        return metUnless(problems, `${kinds.length} CRDs are established`, 'install the definitions: kurator deploy');
      },
    },
    {
      id: 'install-reconciled',
      title: 'it does what its objects say',
      async run(live) {
        return await ofObjects(live, async () => {
          // What was made a moment ago may take one.
          if (!live.noSamples) await untilReconciled(live, live.specimens).catch(() => undefined);
          return await problemsOf(live, reconciledProblem);
        });
      },
    },
    {
      id: 'install-status',
      title: 'its objects say how they are',
      run: async (live) => await ofObjects(live, async () => await problemsOf(live, conditionsProblem)),
    },
  ],
};

/** Pure, and exported for its tests. */
export function servingProblems(
  { metadata, spec }: CustomResourceDefinition,
  live: CustomResourceDefinition | undefined,
): string[] {
  if (!live) return [`${metadata.name} is not in the cluster`];
  const isEstablished = live.status?.conditions?.some(
    ({ type, status }) => type === 'Established' && status === 'True',
  );
  if (!isEstablished) return [`${metadata.name} is not established`];
  const served = new Set(live.spec.versions.filter((one) => one.served).map(({ name }) => name));
  const missing = spec.versions.filter((one) => one.served && !served.has(one.name));
  return missing.map(({ name }) => `${metadata.name} is not served as ${name}`);
}

/** Unmet with what is wrong with the objects; untested where there is none. */
async function ofObjects({ specimens, kinds, noSamples }: Live, problems: () => Promise<string[]>): Promise<Outcome> {
  if (kinds.length === 0) return notApplicable('it has no CRDs of its own');
  if (specimens.length === 0) return untested(`there is no object of its CRDs: ${noSamples ?? 'it has no samples'}`);
  return metUnless(await problems(), `${specimens.length} objects`, 'see what the operator logs of them');
}

async function problemsOf({ client, specimens, signal }: Live, problem: typeof reconciledProblem): Promise<string[]> {
  const objects = await Promise.all(specimens.map(({ type, ...ref }) => client.get(type, ref, { signal })));
  return objects.map(problem).filter((each) => each !== undefined);
}
