// Nobody gets done by the healer what he may not do himself: users under the real authorizer.
import { type Client, installCrds, Namespace, type PolicyRule, referencePolicyOf } from '@kurator/sdk';
import { enforcePolicy, eventually, type TestScope, testScope, testUser } from '@kurator/testenv';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AlertChannel } from '../src/resources/alert-channel.ts';
import { Incident } from '../src/resources/incident.ts';
import { Kurator } from '../src/resources/kurator.ts';

const rule = (apiGroup: string, resources: string[], verbs: string[]): PolicyRule => ({
  apiGroups: [apiGroup],
  resources,
  verbs,
});
/** Who has nothing but the right to write Kurators, as an aggregated role gives it. */
const writing = rule('kurator.sh', ['kurators', 'alertchannels'], ['get', 'create', 'patch', 'update']);
/** What a repair does. */
const repairing = [rule('apps', ['deployments'], ['patch']), rule('', ['pods/eviction'], ['create'])];
const making = [rule('apps', ['deployments'], ['create', 'patch', 'delete']), rule('', ['services'], ['create'])];

let test: TestScope;
let other: string;
let users: Record<'stranger' | 'owner' | 'trusted' | 'reader' | 'alice' | 'bob', Client>;

beforeAll(async () => {
  test = await testScope('tenancy');
  const { client, namespace } = test;
  other = `${namespace}-other`;
  await client.create(Namespace, { metadata: { name: other } });
  const kinds = [Kurator, AlertChannel, Incident];
  await installCrds(client, kinds);
  for (const kind of kinds) await enforcePolicy(client, referencePolicyOf(kind), [namespace, other]);
  const user = (name: string, here: PolicyRule[], there: PolicyRule[]) =>
    testUser(client, `${name}-${namespace}`, { [namespace]: here, [other]: there });
  const approving = rule('kurator.sh', ['incidents'], ['get', 'patch']);
  const create = { ...writing, verbs: ['create'] };
  const more = [...making, rule('', ['secrets'], ['get']), rule('', ['pods/exec'], ['create'])];
  users = {
    stranger: await user('stranger', [writing], [writing]),
    owner: await user('owner', [writing, ...repairing], [create]),
    alice: await user('alice', [approving], []),
    bob: await user('bob', [approving], []),
    reader: await user('reader', [writing, { ...rule('', ['secrets'], ['get']), resourceNames: ['mine'] }], []),
    trusted: await user('trusted', [writing, ...repairing, ...more], [writing]),
  };
  await eventually(() => refused(users.stranger, adopting), { timeout: '30s' });
  await eventually(() => refusedChannel(users.stranger), { timeout: '30s' });
  await eventually(() => messageOf(incident({ approvedBy: 'nobody' })), { timeout: '30s' });
});
afterAll(async () => {
  for (const user of Object.values(users)) await user.close();
  await test.end();
});

const adopting = { targetRef: { kind: 'Deployment', name: 'web' } };
const command = { name: 'own', exec: { command: ['true'] } };
const tls = { caFrom: { name: 'authority', key: 'ca' } };

let made = 0;
const create = (user: Client, spec: object, namespace = test.namespace) =>
  user.create(Kurator, { metadata: { name: `k${made++}`, namespace }, spec: spec as never });
const allowed = async (user: Client, spec: object, namespace?: string) =>
  expect((await create(user, spec, namespace)).kind).toBe('Kurator');
const messageOf = async (writing: Promise<unknown>) => {
  const failure = await writing.catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: 'KUR_CLIENT_FORBIDDEN' });
  return (failure as Error).message;
};
const refused = (user: Client, spec: object, namespace?: string) => messageOf(create(user, spec, namespace));
const channel = (user: Client) =>
  user.create(AlertChannel, {
    metadata: { name: `c${made++}`, namespace: test.namespace },
    spec: { slack: { urlFrom: { name: 'slack', key: 'url' } } } as never,
  });
const incident = (more: object = {}) =>
  test.client.create(Incident, {
    metadata: { name: `web-${made++}`, namespace: test.namespace },
    spec: { service: 'web', startedAt: new Date(0).toISOString(), ...more },
  });
const refusedChannel = (user: Client) => messageOf(channel(user));

describe('who adopts a Deployment', () => {
  it('must be allowed to patch it and to evict its pods', async () => {
    expect(await refused(users.stranger, adopting)).toContain('must be allowed to patch deployments.apps "web"');
    await allowed(users.owner, adopting);
    await allowed(test.client, adopting);
  });

  it('must be allowed to do so there', async () => {
    expect(await refused(users.owner, adopting, other)).toContain(`in namespace ${other}`);
  });

  it('must be allowed to do so with that kind', async () => {
    await refused(users.owner, { targetRef: { kind: 'StatefulSet', name: 'web' } });
  });
});

describe('who has more done', () => {
  it('must be allowed to make a service that he describes', async () => {
    const service = {
      image: 'web',
      port: 80,
      env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }],
    };
    expect(await refused(users.owner, { service })).toContain('must be allowed to create deployments.apps');
    await allowed(users.trusted, { service });
  });

  it('must be allowed to run commands in pods', async () => {
    expect(await refused(users.owner, { ...adopting, checks: [command] })).toContain('to create pods/exec');
    await allowed(users.trusted, { ...adopting, checks: [command] });
  });

  it('must be allowed to read the Secrets of its checks and channels', async () => {
    const checks = [{ http: { tls } }];
    expect(await refused(users.owner, { ...adopting, checks })).toContain('to get secrets "authority"');
    await allowed(users.trusted, { ...adopting, checks });
    expect(await refusedChannel(users.owner)).toContain('spec.slack.urlFrom');
    expect((await channel(users.trusted)).kind).toBe('AlertChannel');
  });

  it('must be allowed to see what he depends on, wherever it is', async () => {
    await allowed(users.owner, { ...adopting, dependsOn: ['db'] });
    expect(await refused(users.owner, { ...adopting, dependsOn: [`${other}/db`] })).toContain(
      `"db" in namespace ${other}`,
    );
    await allowed(users.trusted, { ...adopting, dependsOn: ['db', `${other}/db`] });
  });
});

describe('who changes what is done to a workload', () => {
  const scaling = { min: 100, max: 100, targets: [{ cpu: 50 }] };
  const described = { service: { image: 'web', port: 80 } };

  it.each([
    ['scales what is adopted', adopting, { scaling }],
    ['scales what is made', described, { scaling }],
    ['has more repaired', adopting, { recovery: { restartHealthy: true } }],
    ['has it found ill', adopting, { checks: [{ http: { path: '/none', port: 80 } }] }],
    [
      'lifts a maintenance window',
      { ...adopting, maintenance: [{ cron: '* * * * *', duration: '1m' }] },
      { maintenance: [] },
    ],
    ['has what is decided done', { ...adopting, dryRun: true }, { dryRun: false }],
    ['ends a pause', { ...adopting, pause: true }, { pause: false }],
  ])('must be allowed to patch it: %s', async (_, spec, more) => {
    const { name, namespace } = (await create(users.trusted, spec)).metadata;
    const patch = (user: Client, changed: object) => user.patch(Kurator, { name, namespace }, { spec: changed });
    expect(await messageOf(patch(users.stranger, more))).toContain('must be allowed to patch deployments.apps');
    expect((await patch(users.owner, more)).spec).toMatchObject(more);
  });

  it('may have less done without it', async () => {
    const { name, namespace } = (await create(users.trusted, adopting)).metadata;
    const less = { pause: true, dryRun: true, incidentsKept: 7 };
    expect((await users.stranger.patch(Kurator, { name, namespace }, { spec: less })).spec).toMatchObject(less);
  });
});

describe('who changes where a Secret is sent', () => {
  const from = (name: string) => ({ name, key: 'k' });
  const mine = 'https://mine.example';
  const theirs = 'https://theirs.example';

  it.each([
    [
      'a webhook with a token',
      { webhook: { url: theirs, bearerTokenFrom: from('token') } },
      { webhook: { url: mine } },
    ],
    ['a webhook that signs', { webhook: { url: theirs, signingKeyFrom: from('sign') } }, { webhook: { url: mine } }],
    [
      'Alertmanager',
      { alertmanager: { url: theirs, bearerTokenFrom: from('token') } },
      { alertmanager: { url: mine } },
    ],
    ['PagerDuty', { pagerDuty: { routingKeyFrom: from('key') } }, { pagerDuty: { url: mine } }],
    [
      'mail',
      { smtp: { host: 'mail', from: 'a@b', to: ['c@d'], username: 'a', passwordFrom: from('pass') } },
      { smtp: { host: 'mine.example' } },
    ],
    [
      'mail in plain text',
      { smtp: { host: 'mail', from: 'a@b', to: ['c@d'], username: 'a', passwordFrom: from('pass') } },
      { smtp: { tls: 'none' } },
    ],
  ])('must be allowed to read it: %s', async (_, spec, elsewhere) => {
    const { namespace } = test;
    const reference = { name: `c${made++}`, namespace };
    await users.trusted.create(AlertChannel, { metadata: reference, spec: spec as never });
    const patch = (user: Client, changed: object) => user.patch(AlertChannel, reference, { spec: changed });
    expect(await messageOf(patch(users.stranger, elsewhere))).toContain('must be allowed to get secrets');
    expect((await patch(users.stranger, { ratePerMinute: 7 })).spec.ratePerMinute).toBe(7);
    expect((await patch(users.trusted, elsewhere)).spec).toMatchObject(elsewhere);
  });

  it('must be allowed to read it, also if he may read the Secret that says where', async () => {
    const { namespace } = test;
    const reference = { name: `c${made++}`, namespace };
    const spec = { webhook: { url: theirs, bearerTokenFrom: from('token') } };
    await users.trusted.create(AlertChannel, { metadata: reference, spec: spec as never });
    const moved = { webhook: { url: null, urlFrom: from('mine') } };
    const message = await messageOf(users.reader.patch(AlertChannel, reference, { spec: moved }));
    expect(message).toContain('to get secrets "token"');
  });
});

describe('who approves', () => {
  let name: string;
  beforeEach(async () => {
    ({ name } = (await incident()).metadata);
  });
  const approve = (who: Client, spec: object) => who.patch(Incident, { name, namespace: test.namespace }, { spec });
  const nameOf = (who: 'alice' | 'bob') => `${who}-${test.namespace}`;

  it('can only do so in his own name', async () => {
    const { alice, bob } = users;
    const approvedBy = nameOf('alice');
    expect(await messageOf(approve(bob, { approve: 'web/1.1', approvedBy }))).toContain(nameOf('bob'));
    await messageOf(approve(bob, { approve: 'web/1.1' }));
    expect((await approve(alice, { approve: 'web/1.1', approvedBy })).spec.approvedBy).toBe(approvedBy);
  });

  it('does not do so in the name of who approved before', async () => {
    const { alice, bob } = users;
    await approve(alice, { approve: 'web/1.1', approvedBy: nameOf('alice') });
    expect(await messageOf(approve(bob, { approve: 'web/1.2' }))).toContain('spec.approvedBy');
    await messageOf(approve(bob, { approvedBy: 'carol' }));
    expect((await approve(bob, { approve: 'web/1.2', approvedBy: nameOf('bob') })).spec.approve).toBe('web/1.2');
    expect((await approve(bob, { approve: 'web/1.3' })).spec.approve).toBe('web/1.3');
  });

  it('is not asked for by what approves nothing', async () => {
    const { alice, bob } = users;
    expect((await approve(bob, { resume: 1 })).spec.resume).toBe(1);
    await approve(alice, { approve: 'web/1.1', approvedBy: nameOf('alice') });
    expect((await approve(bob, { resume: 2 })).spec.resume).toBe(2);
    expect((await approve(bob, { approve: null, approvedBy: null })).spec.approve).toBeUndefined();
  });
});

describe('who changes something else', () => {
  it('is not asked for what was there before, but for another target of the same command', async () => {
    const { namespace } = test;
    const { name } = (await create(users.trusted, { ...adopting, checks: [command, { http: { tls } }] })).metadata;
    const patch = (user: Client, spec: object) => user.patch(Kurator, { name, namespace }, { spec });
    expect((await patch(users.stranger, { pause: true })).spec.pause).toBe(true);
    const target = { targetRef: { kind: 'Deployment', name: 'other' } };
    expect(await messageOf(patch(users.owner, target))).toContain('to create pods/exec');
    expect((await patch(users.trusted, target)).spec.targetRef?.name).toBe('other');
  });
});
