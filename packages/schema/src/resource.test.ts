import type { Condition, Container, LabelSelector, Manifest, ResourceType, SecretKeySelector } from '@kurator/client';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import {
  containerPorts,
  type crdOf,
  environment,
  type InputOf,
  labelSelector,
  manifestOf,
  type ObjectOf,
  resource,
  resourceRequirements,
  type SpecOf,
  secretKeyRef,
} from './index.ts';

const MyApp = resource({
  group: 'example.com',
  version: 'v1alpha1',
  kind: 'MyApp',
  spec: z.object({ replicas: z.int().min(0).default(1), image: z.string().min(1), note: z.string().optional() }),
  status: z.object({ readyReplicas: z.int() }),
  columns: { Replicas: '.spec.replicas', Image: '.spec.image' },
});
type MyApp = ObjectOf<typeof MyApp>;

describe('the types of a resource', () => {
  it('follow from the schemas: fields with a default are always there', () => {
    expectTypeOf<MyApp['spec']>().toEqualTypeOf<{ replicas: number; image: string; note?: string }>();
    expectTypeOf<SpecOf<typeof MyApp>>().toEqualTypeOf<MyApp['spec']>();
  });

  it('fit where Kubernetes has the same: what is optional is absent, never undefined', () => {
    const Pieces = resource({
      ...{ group: 'example.com', version: 'v1', kind: 'Pieces' },
      spec: z.object({
        env: environment().optional(),
        ports: containerPorts(),
        resources: resourceRequirements(),
        selector: labelSelector(),
        key: secretKeyRef(),
        tagged: z.string().brand('Tag'),
        anything: z.unknown(),
      }),
    });
    type Spec = SpecOf<typeof Pieces>;
    expectTypeOf<NonNullable<Spec['env']>>().toExtend<NonNullable<Container['env']>>();
    expectTypeOf<Spec['ports']>().toExtend<NonNullable<Container['ports']>>();
    expectTypeOf<Spec['selector']>().toExtend<LabelSelector>();
    expectTypeOf<Spec['key']>().toExtend<SecretKeySelector>();
    expectTypeOf<Spec['tagged']>().toExtend<string>();
    expectTypeOf<Spec['anything']>().toEqualTypeOf<unknown>();
  });

  it('leave every field of a status open, and add what every status has', () => {
    expectTypeOf<NonNullable<MyApp['status']>['readyReplicas']>().toEqualTypeOf<number | undefined>();
    expectTypeOf<NonNullable<MyApp['status']>['conditions']>().toEqualTypeOf<Condition[] | undefined>();
    expectTypeOf<NonNullable<MyApp['status']>['observedGeneration']>().toEqualTypeOf<number | undefined>();
  });

  it('make the resource one that client and cache take', () => {
    expectTypeOf(MyApp).toExtend<ResourceType<MyApp>>();
    expectTypeOf<Manifest<MyApp>['spec']>().toEqualTypeOf<MyApp['spec']>();
  });

  it('know what people have to write', () => {
    expectTypeOf<InputOf<typeof MyApp>>().toEqualTypeOf<{
      replicas?: number | undefined;
      image: string;
      note?: string | undefined;
    }>();
  });

  it('need no status to be declared', () => {
    const Bare = resource({ group: 'example.com', version: 'v1', kind: 'Bare', spec: z.object({}) });
    expectTypeOf<NonNullable<ObjectOf<typeof Bare>['status']>['conditions']>().toEqualTypeOf<Condition[] | undefined>();
  });
});

describe('resource', () => {
  it('is a resource type', () => {
    const { apiVersion, kind, plural, namespaced } = MyApp;
    expect({ apiVersion, kind, plural, namespaced }).toEqual({
      apiVersion: 'example.com/v1alpha1',
      kind: 'MyApp',
      plural: 'myapps',
      namespaced: true,
    });
  });

  it.each([
    ['Policy', 'policies'],
    ['Gateway', 'gateways'],
    ['Ingress', 'ingresses'],
    ['Mesh', 'meshes'],
  ])('guesses the plural of %s as Kubernetes would: %s', (kind, plural) => {
    expect(resource({ group: 'a.b', version: 'v1', kind, spec: z.object({}) }).plural).toBe(plural);
  });

  it.each([
    [{ group: 'example' }, 'group: "example" can\'t be used; give a DNS name such as example.com'],
    [{ version: '1' }, 'version: "1" can\'t be used; give a version such as v1, v1beta2 or v2alpha1'],
    [{ kind: 'myApp' }, 'kind: "myApp" can\'t be used; give letters and digits with a capital first, such as MyApp'],
    [{ shortNames: ['My'] }, 'shortNames: "My" can\'t be used; give small letters, digits and dashes, such as ma'],
    [{ group: 'apps.k8s.io' }, 'group: the group apps.k8s.io belongs to Kubernetes; use a DNS name of your own'],
    [
      { cleanup: { children: { keepFor: 'a day' } } },
      "cleanup.children.keepFor: \"a day\" is not a duration; give milliseconds as a number from 0, or a text such as '24h' or '1h30m'",
    ],
  ])('refuses %o, and says what would be right', (wrong, message) => {
    const right = { group: 'example.com', version: 'v1', kind: 'MyApp', spec: z.object({}) };
    expect(() => resource({ ...right, ...wrong })).toThrow(message);
  });
});

describe('manifestOf', () => {
  const metadata = { name: 'web', namespace: 'default' };

  it('fills in defaults', () => {
    expect(manifestOf(MyApp, { metadata, spec: { image: 'nginx' } })).toEqual({
      apiVersion: 'example.com/v1alpha1',
      kind: 'MyApp',
      metadata,
      spec: { image: 'nginx', replicas: 1 },
    });
  });

  it('refuses what the schema refuses, before anything is sent', () => {
    const wrong = () => manifestOf(MyApp, { metadata, spec: { image: '', replicas: -1 } });
    expect(wrong).toThrow(expect.objectContaining({ code: 'KUR_SCHEMA_INVALID' }));
    expect(wrong).toThrow(/replicas/);
  });
});

describe('several versions', () => {
  const Two = resource({
    group: 'example.com',
    version: 'v2',
    kind: 'Two',
    spec: z.object({ image: z.string(), tag: z.string() }),
    status: z.object({ ready: z.int() }),
  }).withVersion('v1', {
    spec: z.object({ image: z.string() }),
    status: z.object({ ok: z.boolean() }),
    deprecated: 'use v2',
    convert: {
      toHub: ({ spec, status }) => {
        expectTypeOf(spec).toEqualTypeOf<{ image: string }>();
        expectTypeOf(status?.ok).toEqualTypeOf<boolean | undefined>();
        return { spec: { image: spec.image, tag: 'latest' }, status: { ready: status?.ok ? 1 : 0 } };
      },
      fromHub: ({ spec, status }) => {
        expectTypeOf(spec).toEqualTypeOf<{ image: string; tag: string }>();
        return { spec: { image: `${spec.image}:${spec.tag}` }, status: { ok: (status?.ready ?? 0) > 0 } };
      },
    },
  });

  it('are typed each by itself', () => {
    expectTypeOf<SpecOf<typeof Two>>().toEqualTypeOf<{ image: string; tag: string }>();
    const older = Two.at('v1');
    expectTypeOf<ObjectOf<typeof older>['spec']>().toEqualTypeOf<{ image: string }>();
    expect(older.apiVersion).toBe('example.com/v1');
    // @ts-expect-error: there is no such version.
    Two.at('v3');
  });

  it('are stored as the one that the code works with, unless another is chosen', () => {
    const flags = (of: Parameters<typeof crdOf>[0]) =>
      of.definition.versions.map(({ name, storage }) => [name, storage]);
    expect(flags(Two)).toEqual([
      ['v2', true],
      ['v1', false],
    ]);
    const other = resource({ group: 'a.b', version: 'v2', kind: 'O', spec: z.object({}) });
    expect(flags(other.withVersion('v1', { spec: z.object({}), storage: true }))).toEqual([
      ['v2', false],
      ['v1', true],
    ]);
  });

  it('can be declared once only', () => {
    expect(() => Two.withVersion('v1', { spec: z.object({}) })).toThrow('version v1 is there already');
  });
});
