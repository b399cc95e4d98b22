// The healer under the real authorizer, with no rights but those that it declares: what it misses, and how it says so.
import { conditionOf, Deployment, Service } from '@kurator/sdk';
import { eventually } from '@kurator/testenv';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { optionalRoles } from '../src/access/optional-roles.ts';
import { healer } from '../src/healer/healer.ts';
import { AlertChannel } from '../src/resources/alert-channel.ts';
import { Kurator } from '../src/resources/kurator.ts';
import { selfSigned } from './support/checks/certificate.ts';
import { adoptOnly, type Granted, grantRole } from './support/healing/grant-role.ts';
import { type HealerWorld, healerWorld, quickCheck } from './support/healing/healer-world.ts';
import { byHttps, haveSecret } from './support/healing/secure-service.ts';
import type { StagedPod } from './support/healing/stage-service.ts';

let round: HealerWorld;
let operator: Granted;

beforeEach(async () => {
  round = await healerWorld();
  operator = await grantRole(round);
});
afterEach(async () => {
  await round[Symbol.asyncDispose]();
  await operator[Symbol.asyncDispose]();
});

const permitted = async (name: string) => conditionOf((await round.kurator(name)).status?.conditions, 'Permitted');
const untilPermitted = async (name: string, status: string) =>
  await eventually(
    async () => {
      const condition = await permitted(name);
      expect(condition?.status).toBe(status);
      return condition;
    },
    { timeout: '40s' },
  );

describe('the healer’s own role', () => {
  it('has nothing of what is optional', async () => {
    const { namespaced, cluster } = await healer().permissions();
    const granted = [...namespaced, ...cluster].flatMap(({ resources = [] }) => resources);
    const optional = Object.values(optionalRoles).flatMap((rules) => rules.flatMap(({ resources = [] }) => resources));
    expect(granted).not.toContain('secrets');
    expect(granted).not.toContain('pods/exec');
    expect(optional).toEqual(expect.arrayContaining(['secrets', 'pods/exec']));
    expect([...namespaced, ...cluster].flatMap(({ apiGroups = [] }) => apiGroups)).not.toContain('metrics.k8s.io');
  });

  it('is enough to see, to repair and to put on record', async () => {
    const web = await round.stage('web');
    await round.adopt('web');
    await round.start(operator.client);
    await round.untilHealth('web', 'Healthy');
    expect(await permitted('web')).toBeUndefined();
    const [ill] = web.pods as [StagedPod];
    ill.status = 500;
    await eventually(async () => expect(await web.podNames()).not.toContain(ill.name), { timeout: '30s' });
    await web.addPod();
    await round.untilStage('web-1', 'closed');
  });
});

describe('an operator that may only adopt', () => {
  let adopting: Granted;
  beforeEach(async () => {
    adopting = await grantRole(round, adoptOnly);
  });
  afterEach(async () => await adopting[Symbol.asyncDispose]());

  it('still repairs what is there', async () => {
    const web = await round.stage('web');
    await round.adopt('web');
    await round.start(adopting.client);
    await round.untilHealth('web', 'Healthy');
    const [ill] = web.pods as [StagedPod];
    ill.status = 500;
    await eventually(async () => expect(await web.podNames()).not.toContain(ill.name), { timeout: '30s' });
  });

  it('makes nothing, and says what it would need to', async () => {
    const self = { name: 'shop', namespace: round.namespace };
    await round.client.create(Kurator, { metadata: self, spec: { service: { image: 'shop:1', port: 80 } } as never });
    await round.start(adopting.client);
    const { status } = await round.untilHealth('shop', 'Unknown');
    const ready = conditionOf(status?.conditions, 'Ready');
    expect(ready).toMatchObject({ status: 'False', reason: 'NotApplied' });
    expect(ready?.message).toContain('not allowed to make services of its own');
    expect(ready?.message).toContain('bind the optional role "workloads"');
    expect(await round.client.find(Deployment, self)).toBeUndefined();
  });

  it('could not make or delete a workload if it wanted to', async () => {
    const self = { name: 'web', namespace: round.namespace };
    await round.stage('web');
    await expect(adopting.client.delete(Deployment, self)).rejects.toMatchObject({ code: 'KUR_CLIENT_FORBIDDEN' });
    await expect(adopting.client.delete(Service, self)).rejects.toMatchObject({ code: 'KUR_CLIENT_FORBIDDEN' });
    expect((await adopting.client.get(Deployment, self)).metadata.name).toBe('web');
  });
});

describe('a role that is optional, and missing', () => {
  it('is named where a check needs a Secret, and the check runs once it is there', async () => {
    const certificate = selfSigned({ name: 'web.test' });
    await haveSecret(round.client, round.namespace, 'authority', 'ca', certificate.cert);
    await round.stage('web', 1, byHttps(certificate));
    const tls = { serverName: 'web.test', caFrom: { name: 'authority', key: 'ca' } };
    await round.adopt('web', { checks: [{ ...quickCheck, http: { port: 'main', tls } }] });
    await round.start(operator.client);
    expect(await untilPermitted('web', 'False')).toMatchObject({
      reason: 'RoleMissing',
      message: expect.stringContaining('"secrets" to it, with the rule {"apiGroups":[""],"resources":["secrets"],'),
    });
    expect((await round.kurator('web')).status?.health).toBe('Unknown');
    await operator.add('secrets');
    await untilPermitted('web', 'True');
    await round.untilHealth('web', 'Healthy');
  });

  it('is named where a check runs a command', async () => {
    await round.stage('web', 1);
    const exec = { command: ['true'] };
    await round.adopt('web', { checks: [{ exec, period: '1s', timeout: '1s' }] });
    await round.start(operator.client);
    const { message } = (await untilPermitted('web', 'False')) ?? {};
    expect(message).toContain('{"apiGroups":[""],"resources":["pods/exec"],"verbs":["create","get"]}');
    expect((await round.kurator('web')).status).toMatchObject({ health: 'Unknown' });
    expect((await round.kurator('web')).status?.incident).toBeUndefined();
  });

  it('is named where scaling needs to know what pods use', async () => {
    await round.stage('web', 1);
    await round.adopt('web', { scaling: { min: 1, max: 3, targets: [{ cpu: 60 }] } });
    await round.start(operator.client);
    const { message } = (await untilPermitted('web', 'False')) ?? {};
    expect(message).toContain('"metrics" to it, with the rule {"apiGroups":["metrics.k8s.io"],"resources":["pods"],');
    expect((await round.kurator('web')).status?.desiredInstances).toBe(1);
  });

  it('is named on a channel whose address is in a Secret', async () => {
    const web = await round.stage('web');
    await round.client.create(AlertChannel, {
      metadata: { name: 'hook', namespace: round.namespace },
      spec: { webhook: { urlFrom: { name: 'hook', key: 'url' } }, default: true } as never,
    });
    await round.adopt('web', { dryRun: true });
    await round.start(operator.client);
    await round.untilHealth('web', 'Healthy');
    (web.pods[0] as StagedPod).status = 500;
    await eventually(
      async () => {
        const { status } = await round.client.get(AlertChannel, { name: 'hook', namespace: round.namespace });
        expect(JSON.stringify(status)).toContain('bind the optional role \\"secrets\\" to it');
      },
      { timeout: '30s' },
    );
  });
});
