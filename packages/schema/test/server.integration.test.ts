// What a declared resource does on a real API server: columns, defaults, refusals, rules about change, versions, scaling.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type Client, ClientError, getScale, type ResourceType, setScale, type UntypedObject } from '@kurator/client';
import { resolveBinaries, sharedClient, testNamespace } from '@kurator/testenv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  duration,
  environment,
  immutable,
  labelSelector,
  listMap,
  manifestOf,
  mapOf,
  onlyInWebhook,
  quantity,
  resource,
  resourceRequirements,
  rule,
  uniqueList,
} from '../src/index.ts';
import { install, uniqueGroup } from './support/install.ts';

let client: Client;
let namespace: string;

beforeAll(async () => {
  client = await sharedClient();
  namespace = await testNamespace(client, 'schema');
});
afterAll(() => client.close());

/** What the server says against it: the fields, with what is wrong. */
async function refusal(attempt: Promise<unknown>): Promise<string[]> {
  const error = await attempt.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(error instanceof ClientError)) throw new Error(`it was not refused: ${error}`);
  return error.causes.map(({ field, message }) => `${field}: ${message}`);
}

describe('MyApp', () => {
  const MyApp = resource({
    group: uniqueGroup(),
    version: 'v1alpha1',
    kind: 'MyApp',
    spec: z.object({ replicas: z.int32().min(0).default(1), image: z.string().min(1) }),
    status: z.object({ readyReplicas: z.int32(), selector: z.string() }),
    columns: { Replicas: '.spec.replicas', Image: '.spec.image' },
    shortNames: ['ma'],
    scale: { specReplicas: '.spec.replicas', statusReplicas: '.status.readyReplicas', selector: '.status.selector' },
    selectableFields: ['.spec.image'],
  });
  const Any = MyApp as ResourceType<UntypedObject>;
  const app = (name: string, spec: object) => ({ metadata: { name, namespace }, spec });

  beforeAll(() => install(client, MyApp));

  it('is shown by kubectl as NAME, AGE, REPLICAS, IMAGE', async () => {
    await client.create(MyApp, manifestOf(MyApp, { metadata: { name: 'shown', namespace }, spec: { image: 'nginx' } }));
    const kubectl = (await resolveBinaries({ programs: ['kubectl'] })).path('kubectl');
    const kubeconfig = `--kubeconfig=${process.env.KURATOR_TEST_KUBECONFIG}`;
    const asked = [kubeconfig, '-n', namespace, 'get', `ma.${MyApp.definition.group}`, 'shown'];
    const { stdout } = await promisify(execFile)(kubectl, asked);
    const [head, row] = stdout.trim().split('\n');
    expect(head?.split(/ +/)).toEqual(['NAME', 'AGE', 'REPLICAS', 'IMAGE']);
    expect(row).toMatch(/^shown +\d+s +1 +nginx$/);
  });

  it.each([
    [{ replicas: -1, image: 'x' }, /^spec.replicas: .*greater than or equal to 0/],
    [{ image: '' }, /^spec.image: .*at least 1 chars long/],
    [{ replicas: 1 }, /^spec.image: Required value/],
    [{ replicas: '3', image: 'x' }, /^spec.replicas: .*must be of type int/],
  ])('refuses %j, and names the field', async (spec, complaint) => {
    const complaints = await refusal(client.create(Any, app('refused', spec)));
    expect(complaints).toContainEqual(expect.stringMatching(complaint));
  });

  it('can have a status with conditions alone, before more is known', async () => {
    const { metadata } = await client.create(Any, app('young', { image: 'nginx' }));
    const conditions = [{ type: 'Ready', status: 'False', lastTransitionTime: new Date().toISOString() }];
    const ref = { name: metadata.name, namespace };
    const patched = await client.patch(MyApp, ref, { status: { conditions } }, { subresource: 'status' });
    expect(patched.status?.conditions).toMatchObject([{ type: 'Ready' }]);
  });

  it('can be scaled, and selected by a field', async () => {
    const ref = { name: 'scaled', namespace };
    await client.create(Any, app('scaled', { image: 'scaled-image' }));
    await setScale(client, MyApp, ref, 5);
    expect((await getScale(client, MyApp, ref)).spec?.replicas).toBe(5);
    const { items } = await client.list(MyApp, { namespace, fieldSelector: 'spec.image=scaled-image' });
    expect(items.map(({ metadata, spec }) => [metadata.name, spec.replicas])).toEqual([['scaled', 5]]);
  });
});

describe('rules about change', () => {
  const Fixed = resource({
    group: uniqueGroup(),
    version: 'v1',
    kind: 'Fixed',
    spec: z.object({
      plain: immutable(z.string().default('x')),
      once: immutable(z.string().optional()),
      never: immutable(z.string().optional(), { settable: false }),
      list: listMap(z.object({ name: z.string().max(9), size: immutable(z.int32()).optional() }), ['name'])
        .max(9)
        .optional(),
      grows: rule(z.int32().default(0), 'self >= oldSelf', 'must not shrink'),
    }),
  });
  let made = 0;

  beforeAll(() => install(client, Fixed));

  async function change(from: object, to: object): Promise<string[]> {
    const name = `fixed-${made++}`;
    await client.create(Fixed, { metadata: { name, namespace }, spec: from as never });
    return await refusal(client.patch(Fixed, { name, namespace }, { spec: to }));
  }

  it.each([
    ['is changed', { plain: 'a' }, { plain: 'b' }, /^spec\.plain: Invalid value: .*can't be changed$/],
    [
      'is removed, so that the default comes back',
      { plain: 'a' },
      { plain: null },
      /^spec\.plain: Invalid value: .*can't be changed$/,
    ],
    ['is removed', { once: 'a' }, { once: null }, /^spec\.once: Forbidden: .*once can't be removed once it is set$/],
    ['is set late', {}, { never: 'a' }, /^spec\.never: Forbidden: .*never can't be set or removed later$/],
    [
      'is changed in a list',
      { list: [{ name: 'a', size: 1 }] },
      { list: [{ name: 'a', size: 2 }] },
      /^spec\.list\[0\]\.size: Invalid value: .*can't be changed$/,
    ],
    ['shrinks', { grows: 5 }, { grows: 4 }, /^spec\.grows: Invalid value: .*must not shrink$/],
  ])('refuse a field that %s', async (_, from, to, complaint) => {
    expect(await change(from, to)).toEqual([expect.stringMatching(complaint)]);
  });

  it('let a field be set once', async () => {
    const ref = { name: 'once', namespace };
    await client.create(Fixed, manifestOf(Fixed, { metadata: ref, spec: {} }));
    const { spec } = await client.patch(Fixed, ref, { spec: { once: 'a' } });
    expect(spec.once).toBe('a');
  });
});

describe('a spec of everything', () => {
  const nested = z.object({ level: z.enum(['low', 'high']).default('low') });
  const Everything = resource({
    group: uniqueGroup(),
    version: 'v1',
    kind: 'Everything',
    scope: 'Cluster',
    name: z.string().max(12),
    spec: z.object({
      nested: nested.prefault({}),
      pieces: z
        .object({ env: environment(), resources: resourceRequirements(), selector: labelSelector() })
        .partial()
        .optional(),
      timeout: duration({ min: '1s', max: '1h' }).default('30s'),
      memory: quantity({ min: '1Mi' }).optional(),
      hosts: uniqueList(z.hostname()).max(8).optional(),
      limits: mapOf(z.string().regex(/^[a-z]+$/), quantity(), { max: 4 }).optional(),
      secret: onlyInWebhook(z.string(), (text) => text !== 'x', 'not x').optional(),
    }),
    rules: [{ rule: "self.metadata.name != 'nobody'", message: 'nobody may be called that' }],
  });
  const create = (name: string, spec: object) => client.create(Everything, { metadata: { name }, spec: spec as never });

  beforeAll(() => install(client, Everything));

  it('gets its defaults, at all depths, even when it is left out', async () => {
    const given = { metadata: { name: 'empty' } };
    const { spec } = await client.create<UntypedObject>(Everything as ResourceType<UntypedObject>, given);
    expect(spec).toEqual({ nested: { level: 'low' }, timeout: '30s' });
  });

  it.each([
    ['nobody', {}, 'nobody may be called that'],
    ['much-too-long-a-name', {}, 'metadata.name: Too long'],
    ['a', { timeout: '2h' }, 'must be at most 1h'],
    ['a', { memory: '1Ki' }, 'must be at least 1Mi'],
    ['a', { hosts: ['a', 'a'] }, 'spec.hosts[1]: Duplicate value: "a"'],
    ['a', { limits: { CPU: 1 } }, 'each key must match ^[a-z]+$'],
    ['a', { pieces: { env: [{ name: 'A' }, { name: 'A' }] } }, 'spec.pieces.env[1]: Duplicate value'],
  ])('is refused as %s with %j', async (name, spec, complaint) => {
    expect((await refusal(create(name, spec))).join('\n')).toContain(complaint);
  });
});

describe('several versions', () => {
  it('are served side by side, the old one with a warning', async () => {
    const spec = z.object({ size: z.int32().default(1) });
    const Two = resource({ group: uniqueGroup(), version: 'v1', kind: 'Two', spec }).withVersion('v1beta1', {
      spec: z.object({ size: z.int32().default(2) }),
      deprecated: 'use v1',
    });
    await install(client, Two);
    const old = Two.at('v1beta1');
    await client.create(old, { metadata: { name: 'a', namespace }, spec: {} as never });
    expect((await client.get(old, { name: 'a', namespace })).apiVersion).toBe(`${Two.definition.group}/v1beta1`);
    expect((await client.get(Two, { name: 'a', namespace })).spec.size).toBe(2);
  });
});
