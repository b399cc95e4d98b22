// Twenty wrong objects, each refused with the field's name and what would be right, and nothing changed.
import { installCrds } from '@kurator/sdk';
import { type TestScope, testScope } from '@kurator/testenv';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { example, Store } from '../src/validation.ts';

let test: TestScope;
let stop: () => Promise<void>;

const right = { engine: 'postgres', version: '17', storage: '10Gi', owner: 'ada@example.com' };
const backup = { every: '6h' };

beforeAll(async () => {
  test = await testScope('validation');
  await installCrds(test.client, [Store]);
  const { client, namespace: namespaces } = test;
  ({ stop } = await example.start({ client, namespaces, http: false, log: 'silent' }));
});

afterAll(async () => {
  await stop();
  await test.end();
});

// biome-ignore lint/suspicious/noExplicitAny: they are wrong on purpose.
const create = async (spec: any, name = 'store') =>
  await test.client.create(Store, { metadata: { name, namespace: test.namespace }, spec });

it.each([
  // By the API server itself.
  ['no engine', { engine: undefined }, 'spec.engine', 'Required value'],
  ['an unknown engine', { engine: 'oracle' }, 'spec.engine', '"postgres", "mysql"'],
  ['a version that is none', { version: 'latest' }, 'spec.version', String.raw`^\d+(\.\d+)?$`],
  ['a number for a text', { version: 17 }, 'spec.version', 'must be of type string'],
  ['no replicas', { replicas: 0 }, 'spec.replicas', 'greater than or equal to 1'],
  ['too many replicas', { replicas: 10 }, 'spec.replicas', 'less than or equal to 9'],
  ['half a replica', { replicas: 1.5 }, 'spec.replicas', 'must be of type int'],
  ['a quorum above the replicas', { quorum: 3 }, 'spec.quorum', 'must not be above replicas'],
  ['two replicas of mysql', { engine: 'mysql', version: '8.4', replicas: 2 }, 'spec.replicas', '3 and more'],
  ['storage that is no amount', { storage: 'plenty' }, 'spec.storage', 'match'],
  ['too little storage', { storage: '100Mi' }, 'spec.storage', 'at least 1Gi'],
  ['backups too often', { backup: { every: '1s' } }, 'spec.backup.every', 'at least 5m'],
  ['a backup without a rhythm', { backup: { keep: 3 } }, 'spec.backup.every', 'Required value'],
  ['backups kept for ever', { backup: { ...backup, keep: 1000 } }, 'spec.backup.keep', 'less than or equal to 365'],
  [
    'two ports of one name',
    {
      ports: [
        { name: 'sql', number: 1 },
        { name: 'sql', number: 2 },
      ],
    },
    'spec.ports[1]',
    'Duplicate value',
  ],
  ['a port out of range', { ports: [{ name: 'sql', number: 99999 }] }, 'spec.ports[0].number', '65535'],
  ['an owner that is no address', { owner: 'ada' }, 'spec.owner', 'match'],
  ['a field that does not exist', { replica: 3 }, 'spec.replica', 'unknown field'],
  // By the webhook.
  ['a version that nobody supports', { version: '9' }, 'spec.version', 'must be one of 15, 16, 17'],
  ['an upgrade from itself', { upgradeFrom: 'store' }, 'spec.upgradeFrom', 'must be another Store'],
  ['an owner from elsewhere', { owner: 'eve@elsewhere.org' }, 'spec.owner', 'must be an address of example.com'],
])('refuses %s', async (_, wrong, field, remedy) => {
  const error = await create({ ...right, ...wrong }).then(
    () => expect.unreachable(),
    (refusal: Error) => refusal,
  );
  expect(error.message).toContain(field);
  expect(error.message).toContain(remedy);
  expect(await test.client.find(Store, { name: 'store', namespace: test.namespace })).toBeUndefined();
});

it('refuses changes that must not be, and leaves the object as it was', async () => {
  const { spec } = await create(right, 'kept');
  const ref = { name: 'kept', namespace: test.namespace };
  const change = (patch: object) => test.client.patch(Store, ref, { spec: patch });
  await expect(change({ engine: 'mysql', version: '8.4' })).rejects.toThrow('spec.engine');
  await expect(change({ version: '16' })).rejects.toThrow('spec.version: must not go back from 17');
  await expect(create(right, 'x'.repeat(41))).rejects.toThrow('metadata.name');
  expect((await test.client.get(Store, ref)).spec).toEqual(spec);
});
