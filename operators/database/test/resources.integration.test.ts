// The kind on the real API server: what is right is taken, with its defaults; what is wrong is refused, with the field's name and
// what would be right, and nothing is stored.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Client, installCrds } from '@kurator/sdk';
import { sharedClient, testNamespace } from '@kurator/testenv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { PostgresCluster } from '../src/resources.ts';

let client: Client;
let namespace: string;

beforeAll(async () => {
  client = await sharedClient();
  namespace = await testNamespace(client, 'database-resources');
  await installCrds(client, [PostgresCluster]);
});
afterAll(async () => await client.close());

let count = 0;
// biome-ignore lint/suspicious/noExplicitAny: most of them are wrong on purpose.
const create = async (spec: any, name = `pg-${count++}`) =>
  await client.create(PostgresCluster, { metadata: { name, namespace }, spec });
const refusalOf = async (request: Promise<unknown>) =>
  await request.then(
    () => expect.unreachable('it was taken'),
    ({ message }: Error) => message,
  );

const version = '15';

describe('a PostgresCluster', () => {
  it('is complete with its name and a version', async () => {
    const { spec } = await create({ version });
    expect(spec).toMatchObject({
      instances: 3,
      version,
      repository: 'docker.io/library/postgres',
      storage: { size: '8Gi' },
      bootstrap: { database: 'app', owner: 'app' },
      paused: false,
    });
  });

  it('is complete with name, version, number of instances and type of storage', async () => {
    const spec = { version, instances: 2, storage: { storageClass: 'fast' } };
    await expect(create(spec)).resolves.toMatchObject({ spec });
  });

  it.each([
    ['one instance alone', { instances: 1 }],
    ['a whole version', { version: '15.8' }],
    ['nobody that commits wait for', { synchronous: { number: 0 } }],
    ['a parameter of an extension', { parameters: { 'auto_explain.log_min_duration': '3s' } }],
    ['images of a registry with a port', { repository: 'registry.example:5000/mirror/postgres' }],
  ])('may have %s', async (_, spec) => {
    await expect(create({ version, ...spec })).resolves.toMatchObject({ kind: 'PostgresCluster' });
  });

  it.each([
    ['no instances', { instances: 0 }, 'spec.instances', 'greater than or equal to 1'],
    ['more instances than make sense', { instances: 10 }, 'spec.instances', 'less than or equal to 9'],
    ['half an instance', { instances: 2.5 }, 'spec.instances', 'integer'],
    ['no version', { version: undefined }, 'spec.version', 'Required'],
    ['a version that is not known', { version: '9.6' }, 'spec.version', 'a major version from 13 to 18'],
    ['a name instead of a version', { version: 'latest' }, 'spec.version', '15, or 15.8'],
    ['a tag with the repository', { repository: 'postgres:15' }, 'spec.repository', 'without a tag'],
    ['a volume for nothing', { storage: { size: '1Mi' } }, 'spec.storage.size', 'at least 256Mi'],
    ['a volume of no size', { storage: { size: 'large' } }, 'spec.storage.size', 'match'],
    [
      'more to wait for than there is',
      { instances: 2, synchronous: { number: 2 } },
      'synchronous.number',
      'give less than instances',
    ],
    ['a database that needs quotes', { bootstrap: { database: 'My-App' } }, 'spec.bootstrap.database', 'small letters'],
    ['an owner that is taken', { bootstrap: { owner: 'postgres' } }, 'spec.bootstrap.owner', 'give another one'],
    [
      'an owner of PostgreSQL itself',
      { bootstrap: { owner: 'pg_monitor' } },
      'spec.bootstrap.owner',
      'give another one',
    ],
    ['a parameter that is ours', { parameters: { synchronous_standby_names: '' } }, 'spec.parameters', 'leave out'],
    ['a disk that forgets', { parameters: { fsync: 'off' } }, 'spec.parameters', 'leave out'],
    ['a parameter with a blank', { parameters: { 'work mem': '1MB' } }, 'spec.parameters', 'as PostgreSQL calls them'],
    [
      'requests beyond limits',
      { resources: { requests: { memory: '2Gi' }, limits: { memory: '1Gi' } } },
      'spec.resources',
      'raise limits, or lower requests',
    ],
    ['a node that no label can name', { nodeSelector: { disk: 'very fast' } }, 'spec.nodeSelector', 'a label'],
    ['a field that does not exist', { instanses: 3 }, 'instanses', 'unknown field'],
  ])('with %s is refused', async (_, wrong, field, remedy) => {
    const name = `pg-${count}`;
    const message = await refusalOf(create({ version, ...wrong }));
    expect(message).toContain(field);
    expect(message).toContain(remedy);
    expect(await client.find(PostgresCluster, { name, namespace })).toBeUndefined();
  });

  it.each([
    ['longer than what it has could be named', 'p'.repeat(49), 'more than 48'],
    ['that no Service may have', '1st', '[a-z]'],
    ['with dots', 'db.prod', '[a-z]'],
  ])('is not given a name %s', async (_, name, remedy) => {
    const message = await refusalOf(create({ version }, name));
    expect(message).toContain('name');
    expect(message).toContain(remedy);
  });

  it.each([
    ['has another format of data', { version: '15' }, { version: '16' }, 'spec.version', 'make a new cluster'],
    [
      'shrinks its volumes',
      { storage: { size: '1Gi' } },
      { storage: { size: '512Mi' } },
      'spec.storage.size',
      "can't shrink",
    ],
    [
      'moves',
      { storage: { storageClass: 'fast' } },
      { storage: { storageClass: 'slow' } },
      'spec.storage.storageClass',
      "can't be changed",
    ],
    ['begins anew', {}, { bootstrap: { database: 'other' } }, 'spec.bootstrap', "can't be changed"],
  ])('that %s is refused, and stays as it is', async (_, before, change, field, remedy) => {
    const { metadata, spec } = await create({ version, ...before });
    // biome-ignore lint/suspicious/noExplicitAny: wrong on purpose.
    const message = await refusalOf(client.patch(PostgresCluster, metadata, { spec: change as any }));
    expect(message).toContain(field);
    expect(message).toContain(remedy);
    expect((await client.get(PostgresCluster, metadata)).spec).toEqual(spec);
  });

  it('goes to another minor version', async () => {
    const { metadata } = await create({ version: '15.7' });
    await expect(client.patch(PostgresCluster, metadata, { spec: { version: '15.8' } })).resolves.toBeDefined();
  });
});

describe('what people start from', () => {
  const folder = join(import.meta.dirname, '..', 'samples');

  it.each(readdirSync(folder))('is taken as it is written: samples/%s', async (file) => {
    const documents = parseAllDocuments(readFileSync(join(folder, file), 'utf8'));
    const objects = documents.map((document) => document.toJS() as PostgresCluster);
    expect(objects.length).toBeGreaterThan(0);
    for (const object of objects) {
      const placed = { ...object, metadata: { ...object.metadata, namespace } };
      expect(await client.create(PostgresCluster, placed, { dryRun: true })).toMatchObject({ spec: object.spec });
    }
  });
});
