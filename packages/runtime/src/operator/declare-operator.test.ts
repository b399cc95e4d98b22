import { ConfigMap, Deployment, resourceType, Secret } from '@kurator/client';
import { resource } from '@kurator/schema';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { operator } from './declare-operator.ts';

const Garden = resource({ group: 'example.com', version: 'v1', kind: 'Garden', spec: z.object({}) });
const nothing = () => {};
const rule = (apiGroup: string, resources: string[], verbs: string[], resourceNames?: string[]) => ({
  apiGroups: [apiGroup],
  resources,
  verbs,
  ...(resourceNames ? { resourceNames } : {}),
});
const look = ['get', 'list', 'watch'];
const own = [...look, 'create', 'patch', 'delete'];

describe('the name of an operator', () => {
  it('follows from its first kind, or is what it was given', () => {
    expect(operator().controller(Garden).reconcile(nothing).name).toBe('garden-operator');
    expect(operator({ name: 'gardener' }).controller(Garden).reconcile(nothing).name).toBe('gardener');
  });

  it('must be one that Kubernetes takes', () => {
    expect(() => operator({ name: 'My Operator' }).controller(Garden).reconcile(nothing).name).toThrow(
      '"My Operator" is no name for an operator',
    );
    expect(() => operator().name).toThrow('at least one controller');
  });
});

describe('a declaration', () => {
  it('is refused where a controller was begun and left', async () => {
    const left = operator();
    left.controller(Garden).owns(ConfigMap);
    await expect(left.permissions()).rejects.toThrow('controller garden has nothing to do');
  });

  it('refuses two controllers of one name, and says what to write', () => {
    const one = operator().controller(Garden).reconcile(nothing);
    expect(() => one.controller(Garden).reconcile(nothing)).toThrow('two controllers called garden');
    expect(one.controller(Garden, { name: 'second' }).reconcile(nothing)).toBeDefined();
  });

  it('refuses two clusters of one name', () => {
    const west = operator().cluster('west', { server: 'https://west' });
    expect(() => west.cluster('west', { server: 'https://west' })).toThrow('there is one of this name');
    expect(() => operator().cluster('The West', { server: 'https://west' })).toThrow('this is no name');
  });
});

it('a kind that Kubernetes can tell no owner of is not shared', () => {
  const west = operator().cluster('west', { server: 'https://west' }).controller(Garden);
  expect(west.owns(ConfigMap, { shared: true })).toBeDefined();
  expect(() => west.owns(ConfigMap, { shared: true, cluster: 'west' })).toThrow("Garden can't share ConfigMap");
  expect(() => west.owns(ConfigMap, { shared: true, otherNamespaces: true })).toThrow('would not know whose it is');
});

describe('the types of a declaration', () => {
  it('know the kinds, the indexes, the clusters and the status', () => {
    const Shed = resource({
      group: 'example.com',
      version: 'v1',
      kind: 'Shed',
      spec: z.object({ size: z.int() }),
      status: z.object({ tools: z.int() }),
    });
    const typed = operator()
      .cluster('west', { server: 'https://west' })
      .controller(Shed)
      .owns(ConfigMap, { cluster: 'west' })
      .index(Secret, 'shed', (secret) => secret.metadata.labels?.shed)
      .reads(Secret)
      .reconcile(async (shed, { apply, byIndex, clusters }) => {
        const size: number = shed.spec.size;
        await apply(ConfigMap, { metadata: { name: 'a' }, data: { size: `${size}` } }, { cluster: 'west' });
        // @ts-expect-error no cluster is called that
        await apply(ConfigMap, { metadata: { name: 'a' } }, { cluster: 'east' });
        // @ts-expect-error a ConfigMap has no spec
        await apply(ConfigMap, { metadata: { name: 'a' }, spec: {} });
        // @ts-expect-error no index is called that
        byIndex(Secret, 'house', 'x');
        await clusters.west.list(ConfigMap);
        return { status: { tools: byIndex(Secret, 'shed', 'x').length } };
      })
      .controller(Shed, { name: 'other' })
      // @ts-expect-error the status has no such field
      .reconcile(async () => ({ status: { hammers: 1 } }));
    expect(typed.resources).toEqual([Shed]);
  });
});

describe('permissions', () => {
  it('are those for what is watched, owned and read, and no more', async () => {
    const {
      namespaced,
      cluster,
      own: inOwnNamespace,
    } = await operator()
      .controller(Garden)
      .owns(ConfigMap)
      .watches(Secret, () => undefined)
      .reads(Deployment)
      .uses(Deployment, ['delete'])
      .reconcile(nothing)
      .permissions();
    expect(namespaced).toEqual([
      rule('', ['configmaps'], own),
      rule('', ['secrets'], look),
      rule('apps', ['deployments'], [...look, 'delete']),
      rule('events.k8s.io', ['events'], ['create', 'patch']),
      rule('example.com', ['gardens'], look),
      rule('example.com', ['gardens/finalizers'], ['update']),
      rule('example.com', ['gardens/status'], ['patch']),
    ]);
    expect(cluster).toEqual([]);
    expect(inOwnNamespace).toEqual([
      rule('coordination.k8s.io', ['leases'], ['create']),
      rule('coordination.k8s.io', ['leases'], ['get', 'watch', 'update'], ['garden-operator']),
      rule('events.k8s.io', ['events'], ['create', 'patch']),
    ]);
  });

  it('are next to none where only webhooks are served: nothing is watched, and nobody leads', async () => {
    const {
      namespaced,
      cluster,
      own: inOwnNamespace,
    } = await operator().controller(Garden).validate(nothing).permissions();
    expect(namespaced).toEqual([]);
    expect(new Set(cluster.flatMap(({ resources = [] }) => resources))).toEqual(
      new Set(['validatingwebhookconfigurations', 'mutatingwebhookconfigurations']),
    );
    expect(new Set(inOwnNamespace.flatMap(({ resources = [] }) => resources))).toEqual(new Set(['secrets']));
  });

  it('are for looking where things are only done by the clock', async () => {
    const { namespaced } = await operator({ leaderElection: false })
      .controller(Garden)
      .every('1m', nothing)
      .permissions();
    expect(namespaced).toContainEqual(rule('example.com', ['gardens'], look));
  });

  it('grow with finalizers, definitions and kinds of the whole cluster', async () => {
    const Tree = resourceType('example.com/v1', 'Tree', { namespaced: false });
    const { namespaced, cluster } = await operator({ installCrds: 'missing', leaderElection: false })
      .controller(Garden)
      .owns(Tree)
      .reconcile(nothing)
      .permissions();
    expect(namespaced).toContainEqual(rule('example.com', ['gardens'], [...look, 'patch']));
    expect(cluster).toEqual([
      rule('apiextensions.k8s.io', ['customresourcedefinitions'], ['create']),
      rule('apiextensions.k8s.io', ['customresourcedefinitions'], [...look, 'patch'], ['gardens.example.com']),
      rule('example.com', ['trees'], own),
    ]);
  });

  it('are told for each cluster apart', async () => {
    const two = operator({ leaderElection: false })
      .cluster('west', { server: 'https://west' })
      .controller(Garden)
      .owns(ConfigMap, { cluster: 'west' })
      .reconcile(nothing);
    const resources = (rules: readonly { resources?: string[] }[]) => rules.flatMap(({ resources = [] }) => resources);
    expect(resources((await two.permissions()).namespaced)).toEqual(['events', 'gardens', 'gardens/status']);
    expect(resources((await two.permissions('west')).namespaced)).toEqual(['configmaps', 'events']);
    expect((await two.permissions('west')).own).toEqual([]);
  });

  it('have the status that a kind declares, also where no condition is kept', async () => {
    const Pond = resource({
      group: 'example.com',
      version: 'v1',
      kind: 'Pond',
      spec: z.object({}),
      status: z.object({ frogs: z.int() }),
    });
    const { namespaced } = await operator({ leaderElection: false })
      .controller(Pond, { readyCondition: false })
      .reconcile(async () => ({ status: { frogs: 3 } }))
      .permissions();
    expect(namespaced).toContainEqual(rule('example.com', ['ponds/status'], ['patch']));
  });

  it('leave alone the status of kinds that are not the operator’s', async () => {
    const { namespaced } = await operator({ leaderElection: false })
      .controller(ConfigMap)
      .reconcile(nothing)
      .permissions();
    expect(namespaced).toEqual([
      rule('', ['configmaps'], look),
      rule('events.k8s.io', ['events'], ['create', 'patch']),
    ]);
  });
});
