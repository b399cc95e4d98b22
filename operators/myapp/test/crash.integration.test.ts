// MyApp, killed before, during and after each of its writes: it ends where it ends undisturbed.
import { Deployment, waitFor } from '@kurator/sdk';
import { type CrashScenario, everyCrash } from '@kurator/testenv';
import { expect, it } from 'vitest';
import { MyApp } from '../src/index.ts';

/** Made, rolled out, changed, put back, rolled out again. */
const scenario: CrashScenario = {
  async run({ client, namespace, signal }) {
    const web = { name: 'web', namespace };
    const patience = { timeout: 120_000, signal };
    const rollOut = async (replicas: number) => {
      const isWanted = ({ spec }: Deployment) => spec?.replicas === replicas;
      const { metadata } = await waitFor(client, Deployment, web, isWanted, patience);
      const counts = { replicas, readyReplicas: replicas, updatedReplicas: replicas };
      const status = { observedGeneration: metadata.generation ?? 0, ...counts };
      await client.patch(Deployment, web, { status }, { subresource: 'status' });
      await waitFor(client, MyApp, web, ({ status }) => status?.readyReplicas === replicas, patience);
    };
    await client.create(MyApp, { metadata: web, spec: { replicas: 2, image: 'myapp:1' } });
    await rollOut(2);
    await client.patch(MyApp, web, { spec: { replicas: 3 } });
    await rollOut(3);
    await client.patch(Deployment, web, { spec: { replicas: 1 } });
    await rollOut(3);
  },
};

it('survives a crash at every write', { timeout: 600_000 }, async () => {
  const report = await everyCrash(import.meta.resolve('../src/main.ts'), scenario, { share: 0.25 });
  expect(report.writes).toContain('apply deployments.apps/web #1');
});
