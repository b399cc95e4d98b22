/** Checks that need more than an answer: a command in the container, the way through the Service, and how long answers take. */
import { optionalRoles } from '@kurator/operator-kurator';
import { ClusterRole, ClusterRoleBinding, conditionOf, Event, Service } from '@kurator/sdk';
import { eventually } from '@kurator/testenv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HealerWorld, restarts, uids } from './support/healer/healer-world.ts';
import { measured } from './support/healer/measured.ts';
import { kubectl, patiently } from './support/kubectl.ts';

let world: HealerWorld;
/** Writes a line for each answer, so that it can be seen how often it was asked. */
const talkative = 'mkdir -p /www && echo hello >/www/index.html && exec httpd -f -vv -p 8080 -h /www';

beforeAll(async () => {
  world = await HealerWorld.open('e2e-heal-checks');
  // What is usual has to be learned before anything can be unusual: meanwhile the others have their turn.
  const patient = { http: {}, period: '1s', timeout: '1s', failAfter: 30 };
  await world.own('Deployment', 'desk', { checks: [patient] }, { script: talkative });
});
afterAll(async () => await world?.[Symbol.asyncDispose]());

describe('a check by a command in the container', () => {
  // As careless services are: what it says of itself, and what its command says, has a secret in it.
  const careless = `echo "starts with password=hunter2"; ${talkative}`;
  const exec = { command: ['sh', '-c', 'cat /www/index.html || { echo "token=hunter2 did not help" >&2; exit 1; }'] };
  const check = { exec, period: '2s', timeout: '2s', failAfter: 2, recoverAfter: 1 };

  it('finds nothing out without the optional role for it, and says what is missing', async () => {
    await world.adopt('Deployment', 'job', { checks: [check] }, { script: careless });
    await eventually(
      async () => {
        const { conditions } = await world.status('job');
        expect(conditionOf(conditions, 'Permitted')).toMatchObject({ status: 'False', reason: 'RoleMissing' });
      },
      { ...patiently, timeout: 60_000 },
    );
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
    const [record] = status.evidence?.instances ?? [];
    expect(record?.checks?.join()).toContain('No such file');
    expect(record?.checks?.join()).toContain('token=[redacted] did not help');
    expect(record?.logs).toContain('starts with password=[redacted]');
    await world.untilHealthy('job');
    expect(uids(await world.pods('job'))).toEqual(expect.arrayContaining(uids(well)));
  });

  it('has no secret of the service on record, in an Event, an alert or the log of the operator', async () => {
    const { client, cluster, sink } = world;
    const { items: events } = await client.list(Event, { namespace: 'default' });
    const log = await kubectl(cluster, ['logs', '-n', 'kurator', 'deployment/kurator', '--tail=-1']);
    const said = [await world.untilStage('job-1', 'closed'), await world.status('job'), events, sink.received];
    expect(events.some(({ involvedObject }) => involvedObject.kind === 'Kurator')).toBe(true);
    expect(`${JSON.stringify(said)}${log}`).not.toContain('hunter2');
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
    await eventually(async () => expect((await world.status('shop')).incident).toBeUndefined(), {
      ...patiently,
      timeout: 60_000,
    });
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

describe('a check whose answers come late', () => {
  const answersToLearnFrom = 30;

  /** How often the operator has asked each instance and was answered, as their own logs say: the least. */
  async function answersOfEach(name: string): Promise<number> {
    const operator = await world.leader();
    const isAnswer = (line: string) =>
      line.includes(operator.status?.podIP ?? 'no address') && line.includes('response:200');
    const pods = await world.pods(name);
    const logs = await Promise.all(pods.map(({ metadata }) => kubectl(world.cluster, ['logs', metadata.name])));
    return Math.min(...logs.map((log) => log.split('\n').filter(isAnswer).length));
  }

  it('has the one instance replaced that is slower than it was, while the others are not', async () => {
    const { ill, well } = await world.illAndWell('desk');
    await eventually(async () => expect(await answersOfEach('desk')).toBeGreaterThan(answersToLearnFrom), {
      ...patiently,
      timeout: 100_000,
    });
    await world.untilHealthy('desk');
    expect(await world.incidentsOf('desk')).toEqual([]);
    // Slow, and far from failing: connections open at once, and answers come in half of the time that they may take.
    const began = Date.now();
    await world.cluster.faults.delay({ to: ill, port: 8080, by: '500ms' });
    const status = await world.untilStage('desk-1', 'closed');
    measured('confirmed', began, status.confirmedAt);
    expect(status).toMatchObject({
      cause: 'slow',
      actions: [{ step: 'replace', targets: [ill.metadata.name], outcome: 'done' }],
      evidence: { instances: [{ name: ill.metadata.name }] },
    });
    expect(status.actions).toHaveLength(1);
    expect(status.reasons?.join('\n')).toContain('the others answer as usual');
    await world.untilHealthy('desk');
    const after = await world.pods('desk');
    expect(after).toHaveLength(3);
    expect(uids(after)).not.toContain(ill.metadata.uid);
    expect(uids(after)).toEqual(expect.arrayContaining(uids(well)));
    expect(restarts(after)).toBe(0);
    expect(await world.evictionsOf(ill)).toHaveLength(1);
    await world.expectTold('desk', 'desk-1');
    expect(await world.incidentsOf('desk')).toEqual(['desk-1']);
  }, 300_000);
});
