// The day-to-day commands beside the real healer, on the real API server: the test plays kubelet, and the person on call.

import { runCommandLine } from '@kurator/cli';
import { Interrupted } from '@kurator/command';
import { fakeSession } from '@kurator/command/testing';
import { AlertChannel, healer, Incident, Kurator, KuratorSwitch } from '@kurator/operator-kurator';
import { Event, installCrds, Pod } from '@kurator/sdk';
import { eventually, type TestScope, testScope, testUser } from '@kurator/testenv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { kubeconfigAs } from './support/kubeconfig-as.ts';
import { type StagedDeployment, stageDeployment } from './support/staged-deployment.ts';

const kubeconfig = process.env.KURATOR_TEST_KUBECONFIG ?? '';
let test: TestScope;
let web: StagedDeployment;

const kurator = async (...args: string[]) =>
  await kuratorPlain(...args, '-n', test.namespace, '--kubeconfig', kubeconfig);

async function kuratorPlain(...args: string[]) {
  const session = fakeSession();
  await runCommandLine(args, session);
  return session.said;
}

const recovery = { stability: '1s', coolDown: '0s', provenAfter: '1s', steps: { replace: { approval: true } } };
const adopted = (name: string, spec: object = {}) =>
  test.client.create(Kurator, {
    metadata: { name, namespace: test.namespace },
    spec: { targetRef: { kind: 'Deployment', name }, alerts: { groupWait: '0s' }, recovery, ...spec } as never,
  });
const patient = { timeout: '40s' } as const;

beforeAll(async () => {
  test = await testScope('healer-cli');
  await installCrds(test.client, [Kurator, Incident, AlertChannel, KuratorSwitch]);
  web = await stageDeployment(test.client, test.namespace, 'web', 2);
  await stageDeployment(test.client, test.namespace, 'database', 1);
  await adopted('web');
  await adopted('database', { dependsOn: ['web'] });
  await test.start(healer({ threads: 0, allowAddresses: ['127.0.0.0/8'] }));
  await eventually(async () => expect((await kurator('get', '--exit-code')).code).toBe(0), patient);
});
afterAll(async () => await test.end());

describe('while all is well', () => {
  it('shows how services are', async () => {
    const { stdout, stderr, code } = await kurator('get');
    expect(stdout).toMatch(/^NAME +HEALTH +READY +INCIDENT +SINCE +AGE\n/);
    expect(stdout).toMatch(/\nweb +Healthy +2\/2 +- +- +\d+s\n/);
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
  });

  it('completes names in a shell, from the cluster that the line means', async () => {
    const offered = async (...words: string[]) => {
      const { stdout } = await kuratorPlain('__complete', '--', ...words);
      return stdout.split('\n');
    };
    const where = ['--kubeconfig', kubeconfig, '-n', test.namespace];
    // The last line tells the shell to offer no files.
    expect((await offered('describe', ...where, 'w')).filter(Boolean)).toEqual(['web', ':4']);
    expect(await offered('explain', ...where, '')).toEqual(expect.arrayContaining(['database', 'web']));
    expect(await offered('get', '--kubeconfig', kubeconfig, '-n', test.namespace.slice(0, -1))).toContain(
      test.namespace,
    );
  });

  it('gives programs the objects', async () => {
    const one = JSON.parse((await kurator('get', 'web', '-o', 'json')).stdout);
    expect(one).toMatchObject({ kind: 'Kurator', metadata: { name: 'web' }, status: { health: 'Healthy' } });
    expect(one.metadata.managedFields).toBeUndefined();
    const all = parse((await kurator('get', '-o', 'yaml')).stdout);
    expect(all).toMatchObject({
      kind: 'List',
      items: [{ metadata: { name: 'database' } }, { metadata: { name: 'web' } }],
    });
  });

  it('chooses services by their labels, and names them for other commands', async () => {
    const { client, namespace } = test;
    await client.patch(Kurator, { name: 'web', namespace }, { metadata: { labels: { team: 'shop' } } });
    expect((await kurator('get', '-l', 'team=shop')).stdout).toMatch(/^NAME[^\n]*\nweb [^\n]*\n$/);
    expect((await kurator('get', '-o', 'name')).stdout).toBe('kurator.kurator.sh/database\nkurator.kurator.sh/web\n');
    expect((await kurator('get', '--selector', '!team', '-o', 'name')).stdout).toBe('kurator.kurator.sh/database\n');
    expect(await kurator('get', '-l', 'team=blog')).toMatchObject({
      stdout: '',
      stderr: expect.stringContaining('There is no Kurator with team=blog in namespace'),
    });
    const described = parse((await kurator('describe', '-l', 'team in (shop)', '-o', 'yaml')).stdout);
    expect(described).toMatchObject([{ kurator: { metadata: { name: 'web' } } }]);
    expect((await kurator('pause', '-l', 'team=shop')).stdout).toBe(
      `${namespace}/web: is paused: it is watched, and nothing is done\n`,
    );
    expect((await kurator('resume', '-l', 'team=shop')).stdout).toContain('is not paused any more');
    expect((await kurator('adopt', 'deployment/web', '-o', 'name')).stdout).toBe('kurator.kurator.sh/web\n');
    await eventually(async () => expect((await kurator('get', '--exit-code')).code).toBe(0), patient);
  });

  it('describes a service, with what it depends on', async () => {
    const { stdout } = await kurator('describe', 'web');
    expect(stdout).toContain('Deployment web, adopted');
    expect(stdout).toContain('on-call must agree to: replace');
    expect((await kurator('describe', 'database')).stdout).toMatch(/Depends on\n +\S*web +healthy/);
  });

  it('is not paused with all others of the cluster unless that is confirmed', async () => {
    const { stderr, code } = await kuratorPlain('pause', '--all', '-A', '--kubeconfig', kubeconfig);
    expect(stderr).toMatch(/Pause all \d+ services of the cluster/);
    expect(code).not.toBe(0);
    expect((await test.client.get(Kurator, { name: 'web', namespace: test.namespace })).spec.pause ?? false).toBe(
      false,
    );
  });

  it('is paused and resumed, once each', async () => {
    expect((await kurator('pause', 'database')).stdout).toContain('is paused');
    expect((await kurator('pause', 'database')).stdout).toContain('was paused already');
    await eventually(async () => expect((await kurator('get', 'database')).stdout).toContain('Paused'), patient);
    expect((await kurator('resume', 'database')).stdout).toContain('is not paused any more');
    expect((await kurator('resume', 'database')).stdout).toContain('was neither paused nor handed over');
    await eventually(async () => expect((await kurator('get', 'database')).stdout).toContain('Healthy'), patient);
  });
});

describe('an incident', () => {
  it('is watched, explained, approved, and explained again when it is over', async () => {
    const watching = fakeSession();
    const ending = new AbortController();
    const place = ['-n', test.namespace, '--kubeconfig', kubeconfig];
    const watch = runCommandLine(['get', 'web', '--watch', ...place], { ...watching, signal: ending.signal });
    const naming = fakeSession();
    const names = runCommandLine(['get', '-l', '!team', '-o', 'name', '--watch', ...place], {
      ...naming,
      signal: ending.signal,
    });

    await eventually(async () => expect(watching.said.stdout).toMatch(/\nweb +Healthy/), patient);
    await eventually(async () => expect(naming.said.stdout).toBe('kurator.kurator.sh/database\n'), patient);
    const [ill = ''] = await web.podNames();
    await sayOf(ill, 'the process said \x1b[2J\x1b]0;owned\x07 and died');
    await web.crash(ill);
    await eventually(async () => {
      const { stdout } = await kurator('incidents', '--state', 'waiting');
      expect(stdout).toMatch(/web-1 +web +proposed +crash-loop/);
    }, patient);
    expect((await kurator('get', 'web', '--exit-code')).code).toBe(3);

    const { stdout: before } = await kurator('explain', 'web');
    expect(before).toContain('It waits for on-call');
    expect(before).toContain(`would replace ${ill} now; on-call must agree first`);
    expect(before).toContain('the process said \\x1b[2J\\x1b]0;owned\\x07 and died');
    expect(before).not.toContain('\x1b');

    await using alice = await kubeconfigAs(kubeconfig, { as: 'alice@example.com', 'as-groups': ['system:masters'] });
    const approved = await kuratorPlain('approve', 'web', '-n', test.namespace, '--kubeconfig', alice.file);
    expect(approved.stdout).toContain('replace is approved');
    await eventually(async () => expect(await web.podNames()).not.toContain(ill), patient);
    await web.addPod();
    await eventually(async () => {
      const { stdout } = await kurator('incidents', '--state', 'closed');
      expect(stdout).toMatch(/web-1 +web +closed +crash-loop/);
    }, patient);

    const { spec, status } = await test.client.get(Incident, { name: 'web-1', namespace: test.namespace });
    expect(spec.approvedBy).toBe('alice@example.com');
    expect(status?.actions).toMatchObject([{ step: 'replace', approvedBy: 'alice@example.com' }]);
    const { stdout: story } = await kurator('explain', 'web-1');
    expect(story).toMatch(/is being repaired: .*\n(.*\n)*.*web#1\/1\.1 done/);
    expect(story).toContain('replace was approved by alice@example.com');
    expect(story).toMatch(/Other components\n +control plane +answers\n +nodes +.*\n +\S*database +healthy\n/);
    expect(story).toMatch(/told \S*database of the fault\n(.*\n)*.*told \S*database before the repair/);
    expect(story).toContain('channel events');
    expect(story).toMatch(/Decided again.*\n(.*the same: .*\n)+/);
    expect(story).not.toContain('otherwise:');

    const again = JSON.parse((await kurator('explain', 'web-1', '-o', 'json')).stdout);
    expect(again.decidedAgain.length).toBeGreaterThan(1);
    expect(again.decidedAgain.every(({ isSame }: { isSame: boolean }) => isSame)).toBe(true);
    expect((await kurator('incidents', '-l', 'team=shop', '-o', 'name')).stdout).toBe('incident.kurator.sh/web-1\n');
    expect((await kurator('incidents', '-l', '!team', '-o', 'name')).stdout).toBe('');
    expect(JSON.parse((await kurator('report', '-l', '!team', '-o', 'json')).stdout)).toMatchObject({ incidents: [] });
    const { services } = JSON.parse((await kurator('incidents', 'web', '--since', '1h', '-o', 'json')).stdout);
    expect(services).toMatchObject([{ service: 'web', incidents: 1, open: 0, repairs: 1 }]);
    expect(services[0].meanTimeToRecover).toBeGreaterThan(services[0].meanTimeToDetect);

    ending.abort(new Interrupted('SIGINT'));
    await Promise.all([watch, names]);
    expect(naming.said).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^(kurator.kurator.sh\/database\n)+$/),
    });
    expect(watching.said).toMatchObject({ code: 0, stderr: '' });
    expect(watching.said.stdout).toMatch(/^NAME[^\n]*\nweb +Healthy/);
    expect(watching.said.stdout).toMatch(/\nweb +(Degraded|Repairing) +1\/2 +web-1/);
    expect(watching.said.stdout.match(/NAME/g)).toHaveLength(1);
  });

  it('that waits for nobody can not be approved', async () => {
    const { stdout, stderr, code } = await kurator('approve', 'web-1', '--verbose');
    expect({ stdout, code }).toEqual({ stdout: '', code: 1 });
    expect(stderr).toContain("(closed) waits for nobody's approval");
    expect(stderr).toContain('KUR_CLI_NOTHING_TO_APPROVE');
  });
});

describe('an incident that waits for a person', () => {
  /** As the healer would have left it. */
  const left = async (service: string, status: object) => {
    const { client, namespace } = test;
    const spec = { service, startedAt: new Date().toISOString() } as never;
    const { metadata } = await client.create(Incident, { metadata: { name: `${service}-1`, namespace }, spec });
    await client.patch(Incident, metadata, { status }, { subresource: 'status' });
    return async () => (await client.get(Incident, metadata)).spec;
  };

  it('is given back when it was handed over', async () => {
    await adopted('lost');
    const specOf = await left('lost', { stage: 'handedOver' });
    expect((await kurator('incidents', '--state', 'waiting')).stdout).toMatch(/lost-1 +lost +handedOver/);
    expect((await kurator('explain', 'lost')).stdout).toContain('`kurator resume` gives it back');
    expect((await kurator('resume', 'lost')).stdout).toContain('lost-1 (handedOver) is given back to the healer');
    expect(await specOf()).toMatchObject({ resume: 1 });
    expect((await kurator('incidents', 'lost', '--exit-code')).code).toBe(3);
  });

  it('is approved by somebody with rights in his namespace alone', async () => {
    await adopted('mine', { pause: true });
    const proposal = { id: 'mine#1/1/replace', step: 'replace', reason: 'would replace one now' };
    const specOf = await left('mine', { stage: 'proposed', proposal });
    const verbs = ['get', 'list', 'watch', 'patch', 'update'];
    const rights = [{ apiGroups: ['kurator.sh'], resources: ['kurators', 'incidents'], verbs }];
    await using _ = await testUser(test.client, 'jane', { [test.namespace]: rights });
    await using jane = await kubeconfigAs(kubeconfig, { as: 'jane' });
    const approved = await kuratorPlain('approve', 'mine-1', '-n', test.namespace, '--kubeconfig', jane.file);
    expect(approved).toMatchObject({ code: 0, stdout: expect.stringContaining('replace is approved') });
    expect(await specOf()).toMatchObject({ approve: proposal.id, approvedBy: 'jane' });
  });

  it('is not approved in a dry run', async () => {
    await adopted('dry', { dryRun: true });
    const proposal = { id: 'dry#1/1/replace', step: 'replace', reason: 'would replace one now' };
    const specOf = await left('dry', { stage: 'proposed', proposal });
    const { stderr, code } = await kurator('approve', 'dry-1');
    expect(code).toBe(1);
    expect(stderr).toContain('is of a dry run');
    expect((await specOf()).approve).toBeUndefined();
  });
});

describe('what goes wrong', () => {
  it.each([
    [['get', 'wbe'], 'there is no Kurator "wbe"', 'did you mean web?'],
    [['explain', 'databse'], 'there is no Incident "databse"', 'did you mean database?'],
    [['explain', 'database'], 'database has had no incident', ''],
    [['incidents', 'queue'], 'there is no Kurator "queue"', 'database'],
    [['get', '--context', 'mars'], 'mars', 'fix: '],
  ])('is said with what helps: %j', async (args, message, remedy) => {
    const { stdout, stderr, code } = await kurator(...args);
    expect({ stdout, code }).toEqual({ stdout: '', code: 1 });
    expect(stderr).toContain(message);
    expect(stderr).toContain(remedy);
  });

  it.each([
    [['pause']],
    [['resume', 'web', '--all']],
    [['incidents', '--since', 'ever']],
    [['get', '-o', 'xml']],
    [['get', 'web', '-l', 'team=shop']],
    [['pause', '--all', '-l', 'team=shop']],
    [['pause', '-l', '']],
  ])('is refused with exit code 2: %j', async (args) => {
    expect(await kurator(...args)).toMatchObject({ stdout: '', code: 2 });
  });

  it('names the rule that one lacks', async () => {
    await using nobody = await kubeconfigAs(kubeconfig, { as: 'nobody' });
    const { stderr, code } = await kuratorPlain('get', '-A', '--verbose', '--kubeconfig', nobody.file);
    expect(code).toBe(1);
    expect(stderr).toContain('kurators');
    expect(stderr).toContain('KUR_CLI_NOT_ALLOWED');
  });
});

/** What the kubelet would say about an instance. */
async function sayOf(pod: string, message: string): Promise<void> {
  const { namespace, client } = test;
  const { metadata } = await client.get(Pod, { name: pod, namespace });
  const at = new Date().toISOString();
  await client.create(Event, {
    metadata: { generateName: `${pod}-`, namespace },
    involvedObject: { apiVersion: 'v1', kind: 'Pod', name: pod, namespace, uid: metadata.uid ?? '' },
    type: 'Warning',
    reason: 'BackOff',
    message,
    firstTimestamp: at,
    lastTimestamp: at,
    count: 1,
  });
}
