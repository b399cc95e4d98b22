// A new project, not installed but linked to this repository's packages, run by `kurator dev` on the shared API server.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, ConfigMap, Deployment, Lease, resourceType, waitFor } from '@kurator/client';
import { ValidatingWebhookConfiguration } from '@kurator/client/admissionregistration/v1';
import { type TestScope, testScope } from '@kurator/testenv';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { parse, stringify } from 'yaml';

const main = join(import.meta.dirname, '..', 'src', 'main.ts');
const Note = resourceType('apps.dev.test/v1', 'Note');
const kubeconfig = process.env.KURATOR_TEST_KUBECONFIG ?? '';
let project: string;

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'kurator-dev-'));
  await ended(kurator('init', '--no-install', '--domain', 'dev.test', '--name', 'notes', '.'));
  await symlink(join(import.meta.dirname, '..', '..', '..', 'node_modules'), join(project, 'node_modules'));
  await ended(kurator('create', 'api', '--group', 'apps', '--version', 'v1', '--kind', 'Note'));
});
afterAll(() => rm(project, { recursive: true, force: true }));

interface Running {
  readonly child: ChildProcess;
  said(): string;
  readonly code: Promise<number | null>;
}

function kurator(...args: string[]): Running {
  return started(args, { detached: false });
}

function started(args: string[], { detached }: { detached: boolean }): Running {
  const flags = ['--conditions=source', '--disable-warning=ExperimentalWarning'];
  const child = spawn(process.execPath, [...flags, main, ...args], {
    cwd: project,
    detached,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
  }
  const code = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { child, said: () => text, code };
}

async function ended(running: Running): Promise<void> {
  expect(await running.code, running.said()).toBe(0);
}

it('installs the kind, reconciles, says why, and goes on with new code after a save', async () => {
  await using test = await testScope('dev');
  const { client, namespace } = test;
  const running = kurator('dev', '--kubeconfig', kubeconfig, '--watch-namespace', namespace);
  test.onEnd(() => running.child.kill('SIGKILL'));
  const heard = (words: string | RegExp) => expect.poll(running.said, { timeout: 60_000, interval: 50 }).toMatch(words);
  await heard('up; reloads');
  const first = { name: 'first', namespace };
  await client.create(Note, { metadata: first, spec: { message: 'one' } } as never);
  await waitFor(client, ConfigMap, first, ({ data }) => data?.message === 'one');
  await heard(new RegExp(`Note ${namespace}/first reconciled in .*is new`));

  const file = join(project, 'src', 'note', 'controller.ts');
  await writeFile(file, (await readFile(file, 'utf8')).replace('{ message: spec.message } }', "{ message: 'new' } }"));
  await waitFor(client, ConfigMap, first, ({ data }) => data?.message === 'new');
  await heard(/reloaded in \d+ ms: note\/controller.ts/);
  running.child.kill('SIGINT');
  await ended(running);
});

it('says what is missing to somebody who may not do it, and ends', async () => {
  const config = parse(await readFile(kubeconfig, 'utf8')) as { users: { user: Record<string, unknown> }[] };
  for (const { user } of config.users) user.as = 'nobody';
  const file = join(project, 'nobody.kubeconfig');
  await writeFile(file, stringify(config));
  const running = kurator('dev', '--kubeconfig', file, '--verbose');
  expect(await running.code).toBe(1);
  expect(running.said()).toMatch(/nobody.*cannot|forbidden|not allowed/i);
  expect(running.said()).toContain('fix:');
});

describe('where the operator is deployed', () => {
  // Each has several processes to wait for.
  vi.setConfig({ testTimeout: 180_000 });
  const registration = { name: 'notes' };
  beforeAll(() => ended(kurator('create', 'webhook', '--kind', 'Note', '--validate')));
  // Whoever is killed, or leaves something running, leaves a Lease that runs out only later.
  afterEach(async () => {
    await using test = await testScope('dev-lease');
    const { items } = await test.client.list(Lease, { fieldSelector: 'metadata.name=notes' });
    for (const { metadata } of items) await test.client.delete(Lease, metadata);
  });
  const labels = { 'app.kubernetes.io/name': 'notes', 'app.kubernetes.io/component': 'operator' };

  function deployedObjects(namespace: string) {
    const template = { metadata: { labels }, spec: { containers: [{ name: 'operator', image: 'notes:1' }] } };
    const deployment = {
      metadata: { name: 'notes', namespace, labels },
      spec: { replicas: 2, selector: { matchLabels: labels }, template },
    };
    const webhook = {
      name: 'deployed.notes.dev.test',
      clientConfig: { service: { name: 'notes', namespace, path: '/deployed', port: 443 }, caBundle: 'Cg==' },
      rules: [{ apiGroups: ['apps.dev.test'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['notes'] }],
      failurePolicy: 'Ignore',
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
    };
    const annotations = { 'example.com/team': 'theirs' };
    return { deployment, configuration: { metadata: { ...registration, annotations }, webhooks: [webhook] } };
  }

  /** Which it may do a moment after it is up; where, depends on what is deployed. */
  async function untilItLeads(client: Client): Promise<void> {
    const holders = async () => {
      const { items } = await client.list(Lease);
      return items.filter(({ metadata }) => metadata.name === 'notes').map(({ spec }) => spec?.holderIdentity);
    };
    await expect.poll(holders, { timeout: 30_000 }).toContainEqual(expect.stringMatching(/^dev_/));
  }

  it('refuses to start and changes nothing; with --takeover the deployment rests, and all is as it was afterwards', async () => {
    await using test = await testScope('dev-deployed');
    const { client, namespace } = test;
    const { deployment, configuration } = deployedObjects(namespace);
    await client.create(Deployment, deployment as never);
    const before = await client.create(ValidatingWebhookConfiguration, configuration as never);
    test.onEnd(() => client.delete(ValidatingWebhookConfiguration, registration).catch(() => {}));
    test.onEnd(() => client.delete(Deployment, { name: 'notes', namespace }).catch(() => {}));
    const live = () => client.get(ValidatingWebhookConfiguration, registration);
    const replicas = async () => (await client.get(Deployment, { name: 'notes', namespace })).spec?.replicas;

    const refused = kurator('dev', '--kubeconfig', kubeconfig, '--watch-namespace', namespace, '--verbose');
    expect(await refused.code).toBe(1);
    expect(refused.said()).toContain('KUR_CLI_DEPLOYED');
    expect(refused.said()).toContain(`Deployment ${namespace}/notes, ValidatingWebhookConfiguration notes`);
    expect((await live()).metadata.resourceVersion).toBe(before.metadata.resourceVersion);
    expect(await replicas()).toBe(2);

    const running = kurator('dev', '--kubeconfig', kubeconfig, '--watch-namespace', namespace, '--takeover');
    test.onEnd(() => running.child.kill('SIGKILL'));
    await expect.poll(running.said, { timeout: 60_000, interval: 50 }).toContain('up; reloads');
    expect(await replicas()).toBe(0);
    expect((await live()).webhooks?.map(({ clientConfig }) => clientConfig.service)).toEqual([undefined]);
    await untilItLeads(client);
    running.child.kill('SIGINT');
    await ended(running);
    const after = await live();
    expect(after.webhooks).toEqual(before.webhooks);
    expect(after.metadata).toMatchObject({ uid: before.metadata.uid, annotations: configuration.metadata.annotations });
    expect(after.metadata.labels ?? {}).toEqual({});
    expect(await replicas()).toBe(2);
  });

  it('puts back what was there before a desk that was killed, when the next one ends', async () => {
    await using test = await testScope('dev-killed');
    const { client, namespace } = test;
    const { configuration } = deployedObjects(namespace);
    const before = await client.create(ValidatingWebhookConfiguration, configuration as never);
    test.onEnd(() => client.delete(ValidatingWebhookConfiguration, registration).catch(() => {}));
    const live = () => client.get(ValidatingWebhookConfiguration, registration);
    const args = ['dev', '--kubeconfig', kubeconfig, '--watch-namespace', namespace, '--takeover'];
    const up = (running: Running) =>
      expect.poll(running.said, { timeout: 60_000, interval: 50 }).toContain('up; reloads');

    const killed = started(args, { detached: true });
    const kill = () => process.kill(-(killed.child.pid ?? 0), 'SIGKILL');
    test.onEnd(() => (killed.child.exitCode === null && killed.child.signalCode === null ? kill() : undefined));
    await up(killed);
    kill();
    await killed.code;
    expect((await live()).webhooks?.map(({ clientConfig }) => clientConfig.service)).toEqual([undefined]);

    const next = kurator(...args);
    test.onEnd(() => next.child.kill('SIGKILL'));
    await up(next);
    next.child.kill('SIGINT');
    await ended(next);
    const after = await live();
    expect(after.webhooks).toEqual(before.webhooks);
    expect(after.metadata).toMatchObject({ uid: before.metadata.uid });
    expect(after.metadata.annotations).toEqual(configuration.metadata.annotations);
  });

  /** With other code, until the test ends. */
  async function edited(test: TestScope, what: RegExp, by: string): Promise<void> {
    const file = join(project, 'src', 'note', 'controller.ts');
    const source = await readFile(file, 'utf8');
    test.onEnd(() => writeFile(file, source));
    expect(source).toMatch(what);
    await writeFile(file, source.replace(what, by));
  }

  it('puts registrations back though it never comes up', async () => {
    await using test = await testScope('dev-hanging');
    const { client, namespace } = test;
    const nowhere = "{ apiVersion: 'nowhere.test/v1', kind: 'Nowhere', plural: 'nowheres', namespaced: true }";
    await edited(test, /\.reconcile\(/, `.owns(${nowhere} as never).reconcile(`);
    const running = kurator('dev', '--kubeconfig', kubeconfig, '--watch-namespace', namespace);
    test.onEnd(() => running.child.kill('SIGKILL'));
    const registered = async () => (await client.find(ValidatingWebhookConfiguration, registration)) !== undefined;
    await expect.poll(registered, { timeout: 60_000, interval: 50 }).toBe(true);
    expect(running.said()).not.toContain('up; reloads');
    running.child.kill('SIGINT');
    await ended(running);
    expect(await registered()).toBe(false);
  });

  it('puts registrations back though a reconcile does not end', async () => {
    await using test = await testScope('dev-slow');
    const { client, namespace } = test;
    await edited(test, /(\.reconcile\(async .* => \{)/, "$1 console.log('waits'); await new Promise(() => {});");
    await client.create(Note, { metadata: { name: 'slow', namespace }, spec: { message: 'one' } } as never);
    const running = kurator('dev', '--kubeconfig', kubeconfig, '--watch-namespace', namespace);
    test.onEnd(() => running.child.kill('SIGKILL'));
    await expect.poll(running.said, { timeout: 60_000, interval: 50 }).toContain('waits');
    expect(await client.find(ValidatingWebhookConfiguration, registration)).toBeDefined();
    running.child.kill('SIGINT');
    await ended(running);
    expect(await client.find(ValidatingWebhookConfiguration, registration)).toBeUndefined();
  });

  it('deletes only the registration that it made itself', async () => {
    await using test = await testScope('dev-alone');
    const { client, namespace } = test;
    const running = kurator('dev', '--kubeconfig', kubeconfig, '--watch-namespace', namespace);
    test.onEnd(() => running.child.kill('SIGKILL'));
    await expect.poll(running.said, { timeout: 60_000, interval: 50 }).toContain('up; reloads');
    expect(await client.find(ValidatingWebhookConfiguration, registration)).toBeDefined();
    await untilItLeads(client);
    const second = kurator('dev', '--kubeconfig', kubeconfig, '--watch-namespace', namespace, '--verbose');
    expect(await second.code).toBe(1);
    expect(second.said()).toMatch(/already: Lease .*notes/);
    running.child.kill('SIGINT');
    await ended(running);
    expect(await client.find(ValidatingWebhookConfiguration, registration)).toBeUndefined();
  });
});
