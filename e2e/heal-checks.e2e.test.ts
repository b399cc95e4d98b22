/** Checks that need more than a pod's address: a command in the container, and the way through the Service. */
import { optionalRoles } from '@kurator/operator-kurator';
import { ClusterRole, ClusterRoleBinding, conditionOf, Service } from '@kurator/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HealerWorld, uids } from './support/healer/healer-world.ts';
import { eventually, kubectl } from './support/kubectl.ts';

let world: HealerWorld;

beforeAll(async () => {
  world = await HealerWorld.open('e2e-heal-checks');
});
afterAll(async () => await world?.[Symbol.asyncDispose]());

describe('a check by a command in the container', () => {
  const exec = { command: ['cat', '/www/index.html'] };
  const check = { exec, period: '2s', timeout: '2s', failAfter: 2, recoverAfter: 1 };

  it('finds nothing out without the optional role for it, and says what is missing', async () => {
    await world.adopt('Deployment', 'job', { checks: [check] });
    await eventually(async () => {
      const { conditions } = await world.status('job');
      expect(conditionOf(conditions, 'Permitted')).toMatchObject({ status: 'False', reason: 'RoleMissing' });
    }, 60_000);
    expect(await world.incidentsOf('job')).toEqual([]);
  });

  it('runs once the role is bound, in every instance', async () => {
    const name = 'kurator-exec';
    const apiGroup = 'rbac.authorization.k8s.io';
    const subjects = [{ kind: 'ServiceAccount', name: 'kurator', namespace: 'kurator' }];
    await world.client.create(ClusterRole, { metadata: { name }, rules: [...optionalRoles.exec] });
    const roleRef = { apiGroup, kind: 'ClusterRole', name };
    await world.client.create(ClusterRoleBinding, { metadata: { name }, roleRef, subjects });
    await world.untilHealthy('job');
    expect(conditionOf((await world.status('job')).conditions, 'Permitted')?.status).toBe('True');
  });

  it('has the one instance replaced whose command fails', async () => {
    const [ill, ...well] = await world.pods('job');
    if (!ill) throw new Error('no pods');
    await kubectl(world.cluster, ['exec', ill.metadata.name, '--', 'rm', '/www/index.html']);
    const status = await world.untilStage('job-1', 'closed');
    expect(status).toMatchObject({
      cause: 'wrong-answers',
      actions: [{ step: 'replace', targets: [ill.metadata.name], outcome: 'done' }],
    });
    expect(status.evidence?.instances?.[0]?.checks?.join()).toContain('No such file');
    await world.untilHealthy('job');
    expect(uids(await world.pods('job'))).toEqual(expect.arrayContaining(uids(well)));
  });
});

describe('a check through the Service', () => {
  const check = { http: {}, through: 'service', period: '1h', timeout: '2s', failAfter: 1, recoverAfter: 1 };
  const select = async (app: string) =>
    await world.client.patch(Service, { name: 'shop', namespace: 'default' }, { spec: { selector: { app } } });

  it('is healthy when somebody answers', async () => {
    await world.client.create(Service, {
      metadata: { name: 'shop', namespace: 'default' },
      spec: { selector: { app: 'shop' }, ports: [{ port: 80, targetPort: 8080 }] },
    });
    await world.adopt('Deployment', 'shop', { checks: [check] });
    await world.untilHealthy('shop');
  });

  it('notices that nobody does, and no instance is touched for it', async () => {
    const before = await world.pods('shop');
    // There may have been one before kube-proxy knew the first of them.
    await eventually(async () => expect((await world.status('shop')).incident).toBeUndefined(), 60_000);
    const number = (await world.incidentsOf('shop')).length + 1;
    await select('nobody');
    const status = await world.untilStage(`shop-${number}`, 'handedOver');
    expect(status).toMatchObject({ cause: 'network', actions: [] });
    expect(status.reasons?.join()).toContain('only the way through the Service fails');
    await select('shop');
    expect((await world.untilStage(`shop-${number}`, 'closed')).actions).toEqual([]);
    await world.untilHealthy('shop');
    expect(uids(await world.pods('shop'))).toEqual(uids(before));
  });
});
