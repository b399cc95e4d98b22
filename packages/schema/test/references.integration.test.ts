// Whoever writes a field that refers to another object must be allowed to do what the operator will do with it.
import { type Client, Deployment, Namespace, type PolicyRule } from '@kurator/client';
import { enforcePolicy, eventually, type TestScope, testScope, testUser } from '@kurator/testenv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  environment,
  listMap,
  mapOf,
  type ObjectOf,
  reference,
  referencePolicyOf,
  resource,
  secretKeyRef,
  unchecked,
} from '../src/index.ts';
import { install, uniqueGroup } from './support/install.ts';

const group = uniqueGroup();
const backend = z.object({ name: z.string().max(253), namespace: z.string().max(63).optional() });
/** As anybody would write it. */
const Backup = resource({
  group,
  version: 'v1',
  kind: 'Backup',
  spec: z.object({
    note: z.string().optional(),
    passwordFrom: secretKeyRef().nullable().optional(),
    restart: reference(backend, { to: Deployment, verbs: ['get', 'patch'] }).optional(),
    env: environment().max(64).optional(),
    sidecars: listMap(z.object({ name: z.string(), env: environment().max(16) }), ['name'])
      .max(8)
      .optional(),
    tokens: mapOf(z.string().max(63), secretKeyRef(), { max: 16 }).optional(),
    namespaces: z
      .array(reference(z.string().max(63), { to: Namespace, verbs: ['get'] }))
      .max(4)
      .optional(),
    import: unchecked(secretKeyRef()).optional(),
  }),
});
type Backup = ObjectOf<typeof Backup>;

let test: TestScope;
let other: string;
let users: Record<'stranger' | 'tenant' | 'limited', Client>;

const writing: PolicyRule[] = [{ apiGroups: [group], resources: ['backups'], verbs: ['*'] }];
const reading: PolicyRule = { apiGroups: [''], resources: ['secrets', 'configmaps'], verbs: ['get'] };
const patching: PolicyRule = { apiGroups: ['apps'], resources: ['deployments'], verbs: ['get', 'patch'] };

beforeAll(async () => {
  test = await testScope('references');
  const { client, namespace } = test;
  other = `${namespace}-other`;
  await client.create(Namespace, { metadata: { name: other } });
  await install(client, Backup);
  await enforcePolicy(client, referencePolicyOf(Backup), [namespace, other]);
  const user = (name: string, rights: Record<string, PolicyRule[]>) => testUser(client, `${name}-${namespace}`, rights);
  users = {
    stranger: await user('stranger', { [namespace]: writing, [other]: writing }),
    tenant: await user('tenant', { [namespace]: [...writing, reading, patching], [other]: writing }),
    limited: await user('limited', { [namespace]: [...writing, { ...reading, resourceNames: ['mine'] }] }),
  };
  // A policy counts a moment after it was written.
  await eventually(() => refused(users.stranger, { passwordFrom: key('any') }), { timeout: '30s' });
});
afterAll(async () => {
  for (const user of Object.values(users)) await user.close();
  await test.end();
});

let made = 0;
const key = (name: string) => ({ name, key: 'k' });
const create = (user: Client, spec: Partial<Backup['spec']>, namespace = test.namespace) =>
  user.create(Backup, { metadata: { name: `b${made++}`, namespace }, spec: spec as Backup['spec'] });
const refused = async (user: Client, spec: Partial<Backup['spec']>, namespace?: string) => {
  const failure = await create(user, spec, namespace).catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: 'KUR_CLIENT_FORBIDDEN' });
  return (failure as Error).message;
};
const allowed = async (user: Client, spec: Partial<Backup['spec']>, namespace?: string) =>
  expect((await create(user, spec, namespace)).kind).toBe('Backup');

describe('three users and a Secret', () => {
  it('refuses the one who may not read it, and says which right is missing', async () => {
    const message = await refused(users.stranger, { passwordFrom: key('theirs') });
    expect(message).toContain(
      `spec.passwordFrom: who sets this must be allowed to get secrets "theirs" in namespace ${test.namespace}, and stranger-`,
    );
  });

  it('takes it from the one who may', () => allowed(users.tenant, { passwordFrom: key('theirs') }));

  it('refuses the same one where he may not', () => refused(users.tenant, { passwordFrom: key('theirs') }, other));

  it('takes from one with a right to one Secret that one alone', async () => {
    await allowed(users.limited, { passwordFrom: key('mine') });
    await refused(users.limited, { passwordFrom: key('theirs') });
  });

  it('takes whatever refers to nothing', async () => {
    await allowed(users.stranger, { note: 'hello', passwordFrom: null });
    await allowed(users.stranger, { import: key('theirs') });
  });

  it('takes everything from an administrator', () => allowed(test.client, { passwordFrom: key('theirs') }));
});

describe('a reference into another namespace', () => {
  it('is a matter of the rights there', async () => {
    await allowed(users.tenant, { restart: { name: 'web' } });
    expect(await refused(users.tenant, { restart: { name: 'web', namespace: other } })).toContain(
      `in namespace ${other}`,
    );
    await refused(users.limited, { restart: { name: 'web' } });
  });

  it('to a kind of the whole cluster needs the right in all of it', async () => {
    await refused(users.tenant, { namespaces: ['default'] });
    await allowed(test.client, { namespaces: ['default'] });
  });
});

describe('references in lists and maps', () => {
  const env = (...names: string[]) =>
    names.map((name, index) => ({ name: `V${index}`, valueFrom: { secretKeyRef: key(name) } }));

  it('are looked at one by one', async () => {
    await allowed(users.limited, { env: [{ name: 'PLAIN', value: 'x' }, ...env('mine', 'mine')] });
    await refused(users.limited, { env: env('mine', 'theirs') });
    await allowed(users.limited, { tokens: { a: key('mine') } });
    await refused(users.limited, { tokens: { a: key('mine'), b: key('theirs') } });
  });

  it('need the right to all of a kind where they are too many to be looked at one by one', async () => {
    const many = env(...Array.from({ length: 64 }, () => 'mine'));
    await allowed(users.tenant, { env: many });
    await refused(users.limited, { env: many });
  });

  it('need the right to all of a kind where they are lists in lists', async () => {
    await allowed(users.tenant, { sidecars: [{ name: 'a', env: env('mine') }] });
    await refused(users.limited, { sidecars: [{ name: 'a', env: env('mine') }] });
  });
});

describe('a change', () => {
  it('is only asked about what it changes', async () => {
    const { namespace } = test;
    const { name } = (await create(users.tenant, { passwordFrom: key('theirs') })).metadata;
    const patch = (user: Client, spec: object) => user.patch(Backup, { name, namespace }, { spec });
    await patch(users.stranger, { note: 'by somebody else' });
    await expect(patch(users.stranger, { passwordFrom: key('another') })).rejects.toMatchObject({
      code: 'KUR_CLIENT_FORBIDDEN',
    });
    await patch(users.stranger, { passwordFrom: null });
    expect((await test.client.get(Backup, { name, namespace })).spec.note).toBe('by somebody else');
  });
});

it('costs no more than the server allows, with every field as full as it may be, and all of it changed', async () => {
  const full = (prefix: string) => {
    const vars = Array.from({ length: 64 }, (_, index) => `${prefix}${index}`);
    const env = vars.map((name) => ({ name, valueFrom: { secretKeyRef: key(name) } }));
    return {
      passwordFrom: key(prefix),
      restart: { name: prefix },
      env,
      sidecars: vars.slice(0, 8).map((name) => ({ name, env: env.slice(0, 16) })),
      tokens: Object.fromEntries(vars.slice(0, 16).map((name) => [name, key(name)])),
    };
  };
  const object = await create(users.tenant, full('a'));
  await users.tenant.replace(Backup, { ...object, spec: full('b') });
  expect((await test.client.get(Backup, object.metadata as never)).spec.restart?.name).toBe('b');
});
