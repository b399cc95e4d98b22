// The web server, killed before, during and after each of its writes: it ends where it ends undisturbed.
import { ConfigMap, Deployment, waitFor } from '@kurator/sdk';
import { type CrashScenario, everyCrash } from '@kurator/testenv';
import { expect, it } from 'vitest';
import { WebServer } from '../src/index.ts';

/** Made, given another page instead of one, and put back after somebody has meddled with it. */
const scenario: CrashScenario = {
  async run({ client, namespace, signal }) {
    const site = { name: 'site', namespace };
    const patience = { timeout: 120_000, signal };
    const untilSeen = (generation: number) =>
      waitFor(client, WebServer, site, ({ status }) => status?.observedGeneration === generation, patience);
    const pages = { 'index.html': 'hello' };
    await client.create(WebServer, { metadata: site, spec: { replicas: 2, image: 'web:1', pages } });
    await untilSeen(1);
    await client.patch(WebServer, site, { spec: { replicas: 3, pages: { 'index.html': null, 'home.html': 'hi' } } });
    await untilSeen(2);
    await client.delete(ConfigMap, site);
    await waitFor(client, ConfigMap, site, ({ data }) => data?.['home.html'] === 'hi', patience);
    await client.patch(Deployment, site, { spec: { replicas: 0 } });
    await waitFor(client, Deployment, site, ({ spec }) => spec?.replicas === 3, patience);
  },
};

it('survives a crash at every write', { timeout: 600_000 }, async () => {
  const report = await everyCrash(import.meta.resolve('../src/main.ts'), scenario, { share: 0.2 });
  expect(report.writes).toContain('apply services/site #1');
});
