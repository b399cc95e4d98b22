// Services that a Kurator makes itself, on the real API server: what is made, what is put back, and what stays rolled back.
import {
  type Client,
  ConfigMap,
  conditionOf,
  Deployment,
  type ResourceType,
  Service,
  StatefulSet,
  waitFor,
} from '@kurator/sdk';
import { eventually } from '@kurator/testenv';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ServiceRecord } from '../src/memory/service-record.ts';
import { Kurator } from '../src/resources/kurator.ts';
import { type HealerWorld, healerWorld, quickCheck, quickRecovery } from './support/healing/healer-world.ts';
import { type StagedReplicaSet, stageReplicaSet } from './support/healing/stage-replica-set.ts';

let round: HealerWorld;
let self: { name: string; namespace: string };

beforeEach(async () => {
  round = await healerWorld();
  self = { name: 'shop', namespace: round.namespace };
});
afterEach(async () => await round[Symbol.asyncDispose]());

const make = async (service: object, more: object = {}) =>
  await round.client.create(Kurator, {
    metadata: self,
    spec: { service, checks: [quickCheck], startupGrace: '0s', recovery: quickRecovery, ...more } as never,
  });
const change = async (service: object) => await round.client.patch(Kurator, self, { spec: { service } });
const imageOf = ({ spec }: Deployment) => spec?.template.spec?.containers[0]?.image;

describe('a service of its own', () => {
  it('is made of an image and a port, with its name and its files', async () => {
    await make({ image: 'shop:1', port: 8080, config: { 'app.ini': 'a=1' }, env: [{ name: 'MODE', value: 'live' }] });
    await round.start();
    const deployment = await waitFor(round.client, Deployment, self, () => true);
    const [container] = deployment.spec?.template.spec?.containers ?? [];
    expect(deployment.spec).toMatchObject({ replicas: 1, selector: { matchLabels: { 'kurator.sh/kurator': 'shop' } } });
    expect(container).toMatchObject({
      image: 'shop:1',
      env: [{ name: 'MODE', value: 'live' }],
      ports: [{ name: 'main', containerPort: 8080 }],
      readinessProbe: { httpGet: { path: '/', port: 'main' }, failureThreshold: 2 },
      volumeMounts: [{ name: 'config', mountPath: '/config', readOnly: true }],
    });
    expect((await round.client.get(Service, self)).spec).toMatchObject({ ports: [{ port: 8080 }] });
    const { items } = await round.client.list(ConfigMap, {
      namespace: round.namespace,
      labelSelector: 'kurator.sh/kurator',
    });
    expect(items).toMatchObject([{ data: { 'app.ini': 'a=1' }, immutable: true }]);
    expect(deployment.spec?.template.spec?.volumes).toMatchObject([{ configMap: { name: items[0]?.metadata.name } }]);
  });

  it('has a StatefulSet with a claim for each instance, and what a person says of its pods wins', async () => {
    await make({
      kind: 'StatefulSet',
      image: 'db:1',
      port: 5432,
      replicas: 2,
      volumes: [{ name: 'data', mountPath: '/data', claim: { storage: '1Gi' } }],
      podTemplate: {
        metadata: { labels: { tier: 'db' } },
        spec: {
          terminationGracePeriodSeconds: 7,
          containers: [
            { name: 'main', imagePullPolicy: 'Never' },
            { name: 'side', image: 'side:1' },
          ],
        },
      },
    });
    await round.start();
    const { spec } = await waitFor(round.client, StatefulSet, self, () => true);
    expect(spec).toMatchObject({
      replicas: 2,
      serviceName: 'shop-instances',
      volumeClaimTemplates: [{ metadata: { name: 'data' } }],
    });
    expect(spec?.template.metadata?.labels).toMatchObject({ tier: 'db', 'kurator.sh/kurator': 'shop' });
    expect(spec?.template.spec).toMatchObject({
      terminationGracePeriodSeconds: 7,
      containers: [
        { name: 'main', image: 'db:1', imagePullPolicy: 'Never', volumeMounts: [{ name: 'data', mountPath: '/data' }] },
        { name: 'side', image: 'side:1' },
      ],
    });
  });

  it('is put back when somebody changes or deletes it', async () => {
    await make({ image: 'shop:1', port: 8080, replicas: 1 });
    await round.start();
    const { metadata } = await waitFor(round.client, Deployment, self, () => true);
    await round.client.patch(Deployment, self, { spec: { replicas: 5 } });
    await waitFor(round.client, Deployment, self, ({ spec }) => spec?.replicas === 1);
    await round.client.delete(Deployment, self);
    await waitFor(round.client, Deployment, self, (made) => made.metadata.uid !== metadata.uid);
  });

  it('says which part could not be made, and why', async () => {
    await make({
      image: 'shop:1',
      port: 8080,
      podTemplate: { spec: { containers: [{ name: 'main', imagePullPolicy: 'Perhaps' }] } },
    });
    await round.start();
    const { status } = await waitFor(
      round.client,
      Kurator,
      self,
      (kurator) => kurator.status?.conditions !== undefined,
    );
    expect(conditionOf(status?.conditions, 'Ready')).toMatchObject({ status: 'False', reason: 'NotApplied' });
    expect(conditionOf(status?.conditions, 'Ready')?.message).toContain('imagePullPolicy');
  });
});

describe('a new template that crashes', () => {
  let sets: StagedReplicaSet;
  const image = async () => imageOf(await round.client.get(Deployment, self));
  const files = async ({ spec }: Deployment) => {
    const { configMap } = spec?.template.spec?.volumes?.[0] ?? {};
    return (await round.client.get(ConfigMap, { name: configMap?.name ?? '', namespace: round.namespace })).data;
  };

  /** A service that is well and known to be, with a person who then deploys something that is not. */
  const deployBroken = async () => {
    await waitFor(round.client, Deployment, self, () => true);
    sets = await stageReplicaSet(round.client, self);
    await sets.follow();
    await round.untilHealth('shop', 'Healthy');
    const healthy = async () =>
      ((await round.kurator('shop')).status?.memory as unknown as ServiceRecord | undefined)?.history.revisions.healthy;
    await eventually(async () => expect(await healthy()).toEqual([sets.revision]), { timeout: '20s' });
    await change({ image: 'shop:broken', config: { 'app.ini': 'a=2' } });
    await waitFor(round.client, Deployment, self, (deployment) => imageOf(deployment) === 'shop:broken');
    await sets.follow({ crashing: true });
  };
  afterEach(async () => await sets[Symbol.asyncDispose]());

  it('is rolled back, stays away, and comes back only when the person wants something else', async () => {
    await make({ image: 'shop:1', port: 8080, config: { 'app.ini': 'a=1' } });
    await round.start();
    await deployBroken();
    await eventually(async () => expect(await image()).toBe('shop:1'), { timeout: '30s' });
    const back = await round.client.get(Deployment, self);
    expect(await files(back)).toEqual({ 'app.ini': 'a=1' });
    await sets.follow();
    const held = await round.untilHealth('shop', 'Healthy');
    expect(conditionOf(held.status?.conditions, 'Applied')).toMatchObject({ status: 'False', reason: 'HeldBack' });
    expect((await round.client.get(Deployment, self)).spec).toEqual(back.spec);

    await change({ image: 'shop:3' });
    await eventually(async () => expect(await image()).toBe('shop:3'), { timeout: '20s' });
    const { status } = await waitFor(
      round.client,
      Kurator,
      self,
      (kurator) => conditionOf(kurator.status?.conditions, 'Applied')?.status === 'True',
    );
    expect(status?.memory).not.toHaveProperty('heldBack');
  });

  it('stays away though the operator that rolled it back died before it knew', async () => {
    await make({ image: 'shop:1', port: 8080 });
    const { client } = round;
    const isRollback = (type: ResourceType, patch: object) => type.kind === 'Deployment' && Array.isArray(patch);
    let deeds = 0;
    const patch: Client['patch'] = async (type, reference, body, options) => {
      const answer = await client.patch(type, reference, body, options);
      if (!isRollback(type, body)) return answer;
      deeds++;
      return await new Promise(() => {});
    };
    const first = await round.start({ ...client, patch });
    await deployBroken();
    await eventually(async () => expect(await image()).toBe('shop:1'), { timeout: '30s' });
    const dead = first.stop().catch(() => {});
    await round.start();
    await sets.follow();
    const { status } = await round.untilStage('shop-1', 'closed');
    expect(status?.actions).toMatchObject([{ kind: 'rollback', outcome: 'done' }]);
    expect(await image()).toBe('shop:1');
    expect(deeds).toBe(1);
    await dead;
  });
});
