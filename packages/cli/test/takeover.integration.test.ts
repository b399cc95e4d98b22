// Who else runs an operator, and what becomes of it, on the shared API server.
import { hostname } from 'node:os';
import { type Client, createClient, Deployment, Lease } from '@kurator/client';
import { testScope } from '@kurator/testenv';
import { expect, it } from 'vitest';
import { Takeover } from '../src/dev/takeover.ts';

const labelsOf = (name: string) => ({ 'app.kubernetes.io/name': name, 'app.kubernetes.io/component': 'operator' });

function deployment(name: string, operator: string, namespace: string) {
  const labels = labelsOf(operator);
  const template = { metadata: { labels }, spec: { containers: [{ name: 'operator', image: 'none:1' }] } };
  return {
    metadata: { name, namespace, labels },
    spec: { replicas: 2, selector: { matchLabels: labels }, template },
  };
}

it('takes a Lease for its own only if it is, not if its holder only begins alike', async () => {
  await using test = await testScope('takeover-lease');
  const { client, namespace, signal } = test;
  const name = 'alike';
  const own = `dev_${hostname()}_${process.pid}`;
  const hold = (holderIdentity: string) =>
    client.apply(
      Lease,
      {
        metadata: { name, namespace },
        spec: { holderIdentity, leaseDurationSeconds: 600, renewTime: new Date().toISOString().replace('Z', '000Z') },
      } as never,
      { fieldManager: 'test', force: true },
    );
  const prepare = () => new Takeover({ client, takeover: false, signal, say() {} }).prepare({ name, crds: [] });
  await hold(`${own}_77`);
  expect(await prepare()).toMatchObject({ identity: own, leaseNamespace: namespace });
  await hold(`${own}9_77`);
  await expect(prepare()).rejects.toMatchObject({ code: 'KUR_CLI_DEPLOYED' });
});

it('lets all others work again though one of them can not, and says which', async () => {
  await using test = await testScope('takeover-end');
  const { client, namespace, signal } = test;
  const operator = 'several';
  for (const name of ['a', 'b', 'c']) await client.create(Deployment, deployment(name, operator, namespace));
  let isEnding = false;
  const refusing: Client = {
    ...client,
    async patch(type, reference, patch, options) {
      if (isEnding && reference.name === 'a') throw new Error('not this one');
      return await client.patch(type, reference, patch, options);
    },
  };
  const said: string[] = [];
  const takeover = new Takeover({ client: refusing, takeover: true, signal, say: (text) => void said.push(text) });
  await takeover.prepare({ name: operator, crds: [] });
  isEnding = true;
  await takeover.end();
  const replicas = async (name: string) => (await client.get(Deployment, { name, namespace })).spec?.replicas;
  expect([await replicas('a'), await replicas('b'), await replicas('c')]).toEqual([0, 2, 2]);
  expect(said.join('\n')).toMatch(/Deployment \S+\/a is still idle: not this one\n {2}fix: kubectl scale/);
});

it('says what it could not look at', async () => {
  await using test = await testScope('takeover-blind');
  const { client, signal } = test;
  await using blind = createClient({ ...client.config, impersonate: { user: 'nobody' } });
  const said: string[] = [];
  const takeover = new Takeover({ client: blind, takeover: false, signal, say: (text) => void said.push(text) });
  for (let reloads = 0; reloads < 2; reloads++) await takeover.prepare({ name: 'unknown', crds: [] });
  expect(said).toEqual([expect.stringMatching(/not known: .*Deployment, Lease, ValidatingWebhookConfiguration/)]);
});
