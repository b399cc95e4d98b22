// The kind on the real API server: what is right is taken, with its defaults; what is wrong is refused, with the field's name and
// what would be right, and nothing is stored.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Client, installCrds } from '@kurator/sdk';
import { sharedClient, testNamespace } from '@kurator/testenv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { EtcdBackup, EtcdRestore } from '../src/backups/resources.ts';
import { EtcdCluster } from '../src/resources.ts';

let client: Client;
let namespace: string;

beforeAll(async () => {
  client = await sharedClient();
  namespace = await testNamespace(client, 'etcd-resources');
  await installCrds(client, [EtcdCluster, EtcdBackup, EtcdRestore]);
});
afterAll(async () => await client.close());

let count = 0;
// biome-ignore lint/suspicious/noExplicitAny: most of them are wrong on purpose.
const create = async (spec: any, name = `etcd-${count++}`) =>
  await client.create(EtcdCluster, { metadata: { name, namespace }, spec });
const refusalOf = async (request: Promise<unknown>) =>
  await request.then(
    () => expect.unreachable('it was taken'),
    ({ message }: Error) => message,
  );

const version = '3.6.8';

describe('an EtcdCluster', () => {
  it('is complete with a version', async () => {
    const { spec } = await create({ version });
    expect(spec).toMatchObject({
      size: 3,
      version,
      repository: 'quay.io/coreos/etcd',
      storage: { size: '8Gi' },
      quotaBackendBytes: 2_147_483_648,
      autoCompactionRetention: '1h',
      replaceAfter: '5m',
      paused: false,
    });
  });

  it.each([
    ['an even size', { size: 4 }],
    ['images of a registry with a port', { repository: 'registry.example:5000/mirror/coreos/etcd' }],
    ['a request that is its limit', { resources: { requests: { cpu: 1 }, limits: { cpu: '1000m' } } }],
    ['a request without a limit', { resources: { requests: { memory: '64Mi' }, limits: { cpu: 1 } } }],
    [
      'users of its roles',
      {
        auth: {
          roles: [{ name: 'app', permissions: [{ access: 'ReadWrite', prefix: '/app/' }] }],
          users: [{ name: 'ann', passwordSecret: { name: 'ann' }, roles: ['app', 'root'] }],
        },
      },
    ],
    ['a taint that its pods bear', { podTemplate: { spec: { tolerations: [{ operator: 'Exists' }] } } }],
    ['a label without a value', { nodeSelector: { 'node-role.kubernetes.io/etcd': '' } }],
  ])('may have %s', async (_, spec) => {
    await expect(create({ version, ...spec })).resolves.toMatchObject({ kind: 'EtcdCluster' });
  });

  it.each([
    ['no members', { size: 0 }, 'spec.size', 'greater than or equal to 1'],
    ['less than no members', { size: -3 }, 'spec.size', 'greater than or equal to 1'],
    ['more members than etcd advises', { size: 9 }, 'spec.size', 'less than or equal to 7'],
    ['half a member', { size: 2.5 }, 'spec.size', 'integer'],
    ['no version', { version: undefined }, 'spec.version', 'Required'],
    ['a version that is not known', { version: '2.3.7' }, 'spec.version', 'of 3.5, 3.6 or 3.7: 3.6.8'],
    ['the version as its tag', { version: 'v3.6.8' }, 'spec.version', 'without a v'],
    ['half a version', { version: '3.6' }, 'spec.version', 'a whole version'],
    ['a version before its release', { version: '3.6.0-rc.1' }, 'spec.version', 'a whole version'],
    ['a tag with the repository', { repository: 'quay.io/coreos/etcd:v3.6.8' }, 'spec.repository', 'without a tag'],
    ['a digest with it', { repository: `etcd@sha256:${'0'.repeat(64)}` }, 'spec.repository', 'without a tag or digest'],
    ['no repository at all', { repository: '' }, 'spec.repository', 'quay.io/coreos/etcd'],
    ['a volume for nothing', { storage: { size: '1Mi' } }, 'spec.storage.size', 'at least 32Mi'],
    ['a volume of no size', { storage: { size: 'large' } }, 'spec.storage.size', 'match'],
    ['a quota that is used up at once', { quotaBackendBytes: 1024 }, 'spec.quotaBackendBytes', '16777216'],
    ['a quota that etcd warns of', { quotaBackendBytes: 2 ** 40 }, 'spec.quotaBackendBytes', '17179869184'],
    ['a retention that is no time', { autoCompactionRetention: '1 day' }, 'spec.autoCompactionRetention', 'match'],
    ['a retention without end', { autoCompactionRetention: '9000h' }, 'spec.autoCompactionRetention', 'at most 8760h'],
    ['an impatience that replaces all', { replaceAfter: '1s' }, 'spec.replaceAfter', 'at least 10s'],
    [
      'requests beyond limits',
      { resources: { requests: { memory: '2Gi' }, limits: { memory: '1Gi' } } },
      'spec.resources',
      'raise limits, or lower requests',
    ],
    ['a node that no label can name', { nodeSelector: { disk: 'very fast' } }, 'spec.nodeSelector', 'a label'],
    ['given certificates that are not named', { tls: { provider: 'Secret' } }, 'spec.tls', 'give secret with provider'],
    [
      'an election that is over before it begins',
      { etcdOptions: { heartbeatInterval: 500 } },
      'spec.etcdOptions',
      'five times heartbeatInterval',
    ],
    ['a flag that is not to be set', { etcdOptions: { forceNewCluster: true } }, 'forceNewCluster', 'unknown field'],
    [
      'another container in its pods',
      { podTemplate: { spec: { containers: [] } } },
      'podTemplate.spec.containers',
      'unknown field',
    ],
    [
      'an issuer that is not asked',
      { tls: { issuerRef: { name: 'ca' } } },
      'spec.tls',
      'give issuerRef with provider: CertManager',
    ],
    ['an issuer that is not named', { tls: { provider: 'CertManager' } }, 'spec.tls', 'give issuerRef with provider'],
    [
      'users and nobody to be root',
      { auth: {}, tls: { provider: 'Secret', secret: { member: 'a', client: 'b' } } },
      'spec',
      'auth needs certificates for root',
    ],
    [
      'a role that is not declared',
      { auth: { users: [{ name: 'ann', roles: ['app'] }] } },
      'spec.auth',
      'add it to roles',
    ],
    ['a user who is root', { auth: { users: [{ name: 'root' }] } }, 'spec.auth.users[0].name', "operator's own"],
    [
      'a permission of nothing',
      { auth: { roles: [{ name: 'app', permissions: [{ access: 'Read' }] }] } },
      'spec.auth.roles[0].permissions[0]',
      'either key or prefix',
    ],
    ['a field that does not exist', { sise: 3 }, 'sise', 'unknown field'],
  ])('with %s is refused', async (_, wrong, field, remedy) => {
    const name = `etcd-${count}`;
    const message = await refusalOf(create({ version, ...wrong }));
    expect(message).toContain(field);
    expect(message).toContain(remedy);
    expect(await client.find(EtcdCluster, { name, namespace })).toBeUndefined();
  });

  it.each([
    ['longer than a pod of it could be named', 'e'.repeat(53), 'more than 52'],
    ['that no Service may have', '1st', '[a-z]'],
    ['with dots', 'etcd.prod', '[a-z]'],
  ])('is not given a name %s', async (_, name, remedy) => {
    const message = await refusalOf(create({ version }, name));
    expect(message).toContain('name');
    expect(message).toContain(remedy);
  });

  const fast = { storage: { size: '1Gi', storageClassName: 'fast' } };
  it.each([
    ['goes back', { version: '3.6.8' }, { version: '3.5.26' }, 'spec.version', 'never goes back'],
    ['skips a minor', { version: '3.5.26' }, { version: '3.7.3' }, 'spec.version', 'minor by minor'],
    ['keeps dead members', { version: '3.5.9' }, { version: '3.6.8' }, 'spec.version', '3.5.26 or later first'],
    ['shrinks', fast, { storage: { size: '512Mi' } }, 'spec.storage.size', "can't shrink"],
    ['moves', fast, { storage: { storageClassName: 'slow' } }, 'spec.storage.storageClassName', "can't be changed"],
    ['leaves its class', fast, { storage: null }, 'spec.storage.storageClassName', "can't be set or removed"],
    [
      'moves from the default class',
      {},
      { storage: { storageClassName: 'fast' } },
      'spec.storage.storageClassName',
      "can't be set or removed",
    ],
  ])('that %s is refused, and stays as it is', async (_, before, change, field, remedy) => {
    const { metadata, spec } = await create({ version, ...before });
    // biome-ignore lint/suspicious/noExplicitAny: wrong on purpose.
    const message = await refusalOf(client.patch(EtcdCluster, metadata, { spec: change as any }));
    expect(message).toContain(field);
    expect(message).toContain(remedy);
    expect((await client.get(EtcdCluster, metadata)).spec).toEqual(spec);
  });

  it('goes on within a minor, and to the next', async () => {
    const { metadata } = await create({ version: '3.5.9' });
    for (const version of ['3.5.26', '3.5.25', '3.5.27', '3.6.8', '3.7.3']) {
      await client.patch(EtcdCluster, metadata, { spec: { version } });
    }
  });
});

describe('what people start from', () => {
  const folder = join(import.meta.dirname, '..', 'samples');

  it.each(readdirSync(folder))('is taken as it is written: samples/%s', async (file) => {
    const documents = parseAllDocuments(readFileSync(join(folder, file), 'utf8'));
    const objects = documents.map((document) => document.toJS() as EtcdCluster);
    expect(objects.length).toBeGreaterThan(0);
    for (const object of objects) {
      const type = await client.discover(object.apiVersion, object.kind);
      const placed = { ...object, metadata: { ...object.metadata, namespace } };
      expect(await client.create(type, placed as never, { dryRun: true })).toMatchObject({ spec: object.spec });
    }
  });
});
