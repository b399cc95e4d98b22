// What a drill asks of the API server before, during and after: on real objects, without a kubelet.

import { runCommandLine } from '@kurator/cli';
import { fakeSession } from '@kurator/command/testing';
import { AlertChannel, Incident, Kurator, KuratorSwitch } from '@kurator/operator-kurator';
import { Deployment, installCrds, Namespace, Node, Pod } from '@kurator/sdk';
import { type TestScope, testScope } from '@kurator/testenv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { subjectOf } from '../src/drill/drill-subject.ts';
import { claim, drillAnnotation, type Mark, markOf, release } from '../src/drill/mark.ts';
import { holdMeans } from '../src/drill/means/hold.ts';
import { revisionMeans } from '../src/drill/means/revision.ts';
import { stageDeployment } from './support/staged-deployment.ts';

const kubeconfig = process.env.KURATOR_TEST_KUBECONFIG ?? '';
const { signal } = new AbortController();
let test: TestScope;

beforeAll(async () => {
  test = await testScope('drill-cli');
  await installCrds(test.client, [Kurator, Incident, AlertChannel, KuratorSwitch]);
  for (const name of ['web', 'shop']) await stageDeployment(test.client, test.namespace, name, 3);
  await adopt('web');
  await adopt('shop');
  // What the healer says of them; the test plays it.
  await allow('allowed');
});
afterAll(async () => await test.end());

async function drill(...args: string[]) {
  const session = fakeSession();
  await runCommandLine(['drill', ...args, '-n', test.namespace, '--kubeconfig', kubeconfig, '--verbose'], session);
  return session.said;
}

async function adopt(name: string, status: object = {}): Promise<void> {
  const { client, namespace } = test;
  const spec = { targetRef: { kind: 'Deployment', name }, startupGrace: '0s' } as never;
  const { metadata } = await client.create(Kurator, { metadata: { name, namespace }, spec });
  const well = { health: 'Healthy', healthyInstances: 3, desiredInstances: 3, ...status };
  await client.patch(Kurator, metadata, { status: well }, { subresource: 'status' });
}

async function allow(value: string | null): Promise<void> {
  const labels = { 'kurator.sh/drill': value };
  await test.client.patch(Namespace, { name: test.namespace }, { metadata: { labels } });
}

/** That nothing was done to it. */
async function expectUntouched(name: string): Promise<void> {
  const { client, namespace } = test;
  const kurator = await client.get(Kurator, { name, namespace });
  expect(kurator.metadata.annotations?.[drillAnnotation]).toBeUndefined();
  const { items } = await client.list(Pod, { namespace, labelSelector: `app=${name}` });
  expect(items.flatMap(({ spec }) => spec?.ephemeralContainers ?? [])).toEqual([]);
}

const subject = async (name: string) =>
  await subjectOf({ client: test.client, namespace: test.namespace }, name, signal);

describe('before anything is done', () => {
  it('says what would be done, after the server was asked whether it may be', async () => {
    const { stdout, code } = await drill('web', '--fault', 'hang', '--dry-run');
    expect(code).toBe(0);
    expect(stdout).toMatch(/holds all processes of web-one-\w+, by a tracer .* for 120 s at most. Nothing was done/);
    const plan = JSON.parse((await drill('web', '--fault', 'kill', '--dry-run', '-o', 'json')).stdout);
    expect(plan).toMatchObject({ fault: 'kill', pods: [expect.stringContaining('web-one-')] });
    await expectUntouched('web');
  });

  it('is refused in a namespace that is not labelled for it', async () => {
    await allow(null);
    const { stdout, stderr, code } = await drill('web', '--fault', 'hang', '--yes');
    await allow('allowed');
    expect({ stdout, code }).toEqual({ stdout: '', code: 1 });
    expect(stderr).toContain(`kubectl label namespace ${test.namespace} kurator.sh/drill=allowed`);
    expect(stderr).toContain('KUR_CLI_DRILL_REFUSED');
    await expectUntouched('web');
  });

  it('is refused where what it needs is not let in', async () => {
    const level = (enforce: string | null) => ({
      metadata: { labels: { 'pod-security.kubernetes.io/enforce': enforce } },
    });
    const reference = { name: test.namespace };
    await test.client.patch(Namespace, reference, level('baseline'));
    const { stderr, code } = await drill('web', '--fault', 'hang', '--yes');
    await test.client.patch(Namespace, reference, level(null));
    expect(code).toBe(1);
    expect(stderr).toContain('KUR_CLI_DRILL_MEANS');
    expect(stderr).toContain('SYS_PTRACE');
    expect(stderr).toContain('shareProcessNamespace');
    await expectUntouched('web');
  });

  it('is refused where the tracer is not for the node, unless signals do', async () => {
    const { client, namespace } = test;
    const node = { name: `far-${namespace}`, labels: { 'kubernetes.io/arch': 'arm64' } };
    await client.create(Node, { metadata: node });
    try {
      for (const sharesProcesses of [false, true]) {
        const name = sharesProcesses ? 'near' : 'far';
        const spec = { nodeName: node.name, ...(sharesProcesses && { shareProcessNamespace: true }) };
        await stageDeployment(client, namespace, name, 3, spec);
        await adopt(name);
        const { stderr, code } = await drill(name, '--fault', 'hang', '--dry-run');
        expect(code, stderr).toBe(sharesProcesses ? 0 : 1);
        if (sharesProcesses) continue;
        expect(stderr).toContain(`node ${node.name} has arm64, and the tracer is for amd64 alone`);
        expect(stderr).toContain('set shareProcessNamespace: true');
        await expectUntouched(name);
      }
    } finally {
      await client.delete(Node, node);
    }
  });

  it('is refused for a service with one instance, and for one that is not there', async () => {
    await stageDeployment(test.client, test.namespace, 'alone', 1);
    await adopt('alone', { healthyInstances: 1, desiredInstances: 1 });
    const alone = await drill('alone', '--fault', 'hang', '--yes');
    expect(alone.code).toBe(1);
    expect(alone.stderr).toContain('of 1 healthy pod it may cost 1, and 1 must be left');
    expect(alone.stderr).toMatch(/have 2 pods$/m);
    await expectUntouched('alone');
    const nobody = await drill('nobody', '--fault', 'hang', '--yes');
    expect(nobody.code).toBe(1);
    expect(nobody.stderr).toContain('there is no Kurator "nobody"');
  });

  it('is refused for a service that is not well', async () => {
    await stageDeployment(test.client, test.namespace, 'ill', 3);
    await adopt('ill', { health: 'Degraded', healthyInstances: 2 });
    const { stderr, code } = await drill('ill', '--fault', 'kill', '--yes');
    expect(code).toBe(1);
    expect(stderr).toContain('ill is not healthy but Degraded');
    expect(stderr).toContain('of 2 healthy pods it may cost 1, and 2 must be left');
  });

  it.each([
    [['web', '--fault', 'hang'], 'give --yes'],
    [['web'], '--fault kill|hang|'],
    [['--fault', 'hang'], 'name a service'],
    [['web', '--fault', 'hang', '--deadline', '1s', '--yes'], 'from 10s to 30m'],
    [['web', '--fault', 'dependency', '--yes'], 'it depends on nothing'],
    [['web', '--fault', 'hang', '--percent', '20', '--yes'], '--percent goes with --fault packet-loss'],
    [['web', '--fault', 'load', '--image', 'web:2', '--yes'], '--image goes with --fault kill, hang, packet-loss'],
    [['web', '--fault', 'rust', '--yes'], 'Allowed choices are kill, hang,'],
  ])('is not understood, with exit code 2: %j', async (args, remedy) => {
    const { stdout, stderr, code } = await drill(...args);
    expect({ stdout, code }).toEqual({ stdout: '', code: 2 });
    expect(stderr).toContain(remedy);
    await expectUntouched('web');
  });
});

describe('one drill at a time', () => {
  const mark = (id: string): Mark => ({
    id,
    fault: 'hang',
    until: new Date(Date.now() + 60_000).toISOString(),
    pods: ['web-x'],
  });

  it('is the first of several that begin at once; the others are refused', async () => {
    const { kurator } = await subject('shop');
    const ids = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(6));
    const claims = await Promise.allSettled(ids.map((id) => claim(test.client, kurator, mark(id), signal)));
    const [won, ...more] = ids.filter((_, index) => claims[index]?.status === 'fulfilled');
    expect(more).toEqual([]);
    const known = markOf((await subject('shop')).kurator, Date.now());
    expect(known?.id).toBe(won);
    expect((await drill('shop', '--fault', 'kill', '--yes')).stderr).toContain('is under way until');

    await release(test.client, kurator, ids.find((id) => id !== won) ?? '');
    expect(markOf((await subject('shop')).kurator, Date.now())?.id).toBe(won);
    expect((await drill('shop', '--heal')).stdout).toContain(`drill ${won} (hang) is over`);
    await expectUntouched('shop');
    expect((await drill('shop', '--heal')).code).toBe(1);
  });
});

describe('a bad revision', () => {
  it('is rolled out and taken back, and leaves the workload as it was', async () => {
    const { client, namespace } = test;
    const it = await subject('web');
    const stage = { client, signal, id: 'abcdef', subject: it, pods: it.pods, percent: 30, seconds: 60 };
    const means = revisionMeans(stage);
    const template = async () => (await client.get(Deployment, { name: 'web', namespace })).spec?.template;
    const before = await template();
    await means.inject();
    expect((await template())?.spec?.initContainers).toMatchObject([{ name: 'kurator-drill', image: 'web:1' }]);
    await means.heal();
    expect(await template()).toEqual(before);
    await means.heal();
    expect(await template()).toEqual(before);
  });

  it('of a service that Kurator makes is said where a person would say it', async () => {
    const { client, namespace } = test;
    const podTemplate = { spec: { initContainers: [{ name: 'first', image: 'own:1' }] } };
    const spec = { service: { image: 'own:1', port: 80, podTemplate } } as never;
    await client.create(Kurator, { metadata: { name: 'own', namespace }, spec });
    const it = await subject('own');
    const pods = (await subject('web')).pods;
    const means = revisionMeans({ client, signal, id: 'abcdef', subject: it, pods, percent: 30, seconds: 60 });
    await means.inject();
    const now = async () => (await client.get(Kurator, { name: 'own', namespace })).spec.service?.podTemplate;
    expect(await now()).toMatchObject({ spec: { initContainers: [{ name: 'first' }, { name: 'kurator-drill' }] } });
    await means.heal();
    expect(await now()).toEqual(podTemplate);
  });
});

it('has nothing to heal where nothing was done', async () => {
  const it = await subject('web');
  const pods = it.pods.slice(0, 1);
  const stage = { client: test.client, signal, id: 'abcdef', subject: it, pods, percent: 30, seconds: 60 };
  await holdMeans(stage, 'hang').heal();
});
