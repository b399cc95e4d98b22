// From an empty folder to an operator whose replicas take over from each other in a cluster, as a new user would do it, with
// the packages as npm would have them. One story, told in order.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  type Client,
  ConfigMap,
  createClient,
  Deployment,
  loadKubeconfig,
  Namespace,
  Pod,
  resourceType,
  waitFor,
} from '@kurator/client';
import { type Cluster, createCluster, eventually, listClusters, localRegistry } from '@kurator/testenv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kubectl, patiently } from './support/kubectl.ts';
import { coldStart, leaderOf } from './support/operator-pods.ts';

const root = join(import.meta.dirname, '..');
const main = join(root, 'packages', 'cli', 'src', 'main.ts');
const Greeting = resourceType('apps.example.com/v1alpha1', 'Greeting');
const times: string[] = [];
let place: string;
let project: string;

interface Scores {
  reached: number;
  tests: { id: string; result: string }[];
  levels: { lines: { id: string; result: string }[] }[];
}

// The commands are installed under node_modules, and run by the Node that runs this.
const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH}`, NODE_OPTIONS: '' };

beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), 'kur-new-'));
  project = join(place, 'hello-operator');
  await run(root, process.execPath, 'scripts/pack.mjs', join(place, 'packed'));
});

afterAll(async () => {
  process.stdout.write(`From an empty folder:\n${times.join('\n')}\n`);
  await rm(place, { recursive: true, force: true });
});

async function run(cwd: string, command: string, ...args: string[]): Promise<string> {
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const said = outputOf(child);
  const code = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}:\n${said()}`);
  return said();
}

function outputOf(child: ChildProcess): () => string {
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
  }
  return () => text;
}

async function timed<T>(what: string, work: () => Promise<T>): Promise<T> {
  const began = performance.now();
  const result = await work();
  times.push(`  ${((performance.now() - began) / 1000).toFixed(1).padStart(5)} s  ${what}`);
  return result;
}

const kurator = (...args: string[]) => run(project, join(project, 'node_modules', '.bin', 'kurator'), ...args);
const npmTest = () => run(project, 'npm', 'test');

async function edit(path: string, from: string, to: string): Promise<void> {
  const file = join(project, path);
  const text = await readFile(file, 'utf8');
  expect(text).toContain(from);
  await writeFile(file, text.replace(from, to));
}

it('init: a project that type-checks and passes its own tests', async () => {
  const args = ['init', '--domain', 'example.com', '--sdk', join(place, 'packed'), project];
  await timed('kurator init (with npm install)', () =>
    run(place, process.execPath, '--conditions=source', main, ...args),
  );
  await timed('npm test', npmTest);
});

it('init on a disk that is full, or read-only: an error that says so, and nothing half made', async () => {
  const init = [process.execPath, '--conditions=source', main, 'init', '--no-install', '--verbose', '--domain', 'a.io'];
  const tried = (options: string) => `
    mount -t tmpfs -o ${options} none ${place}/disk
    ${init.join(' ')} ${place}/disk/new 2>&1 && exit 3
    ls -A ${place}/disk; umount ${place}/disk`;
  await mkdir(join(place, 'disk'));
  // In a mount namespace of its own: nobody else sees the disks.
  const said = await run(place, 'unshare', '--mount', 'sh', '-c', tried('size=8k') + tried('size=1m,ro'));
  expect(said).toMatch(/no space left on device.*\n {2}fix: make room on the disk\n {2}code: KUR_CLI_WRITE/);
  expect(said).toMatch(/read-only file system.*\n {2}fix: the disk is read-only.*\n {2}code: KUR_CLI_WRITE/);
  expect(said).not.toMatch(/^new$/m);
});

it('create api, four lines, dev, a sample: it is reconciled, and reloaded when a source is saved', async () => {
  await timed('kurator create api', () =>
    kurator('create', 'api', '--group', 'apps', '--version', 'v1alpha1', '--kind', 'Greeting'),
  );
  await edit('src/greeting/resource.ts', "default('hello'),", "default('hello'),\n  to: z.string().default('you'),");
  await edit(
    'src/greeting/controller.ts',
    '      await apply',
    "      const text = [spec.message, spec.to].join(' ');\n      await apply",
  );
  await edit('src/greeting/controller.ts', 'data: { message: spec.message }', 'data: { text }');
  await edit('src/greeting/controller.test.ts', "toEqual({ message: 'hello' })", "toEqual({ text: 'hello world' })");
  await edit('src/greeting/controller.test.ts', "message: 'hello' }", "message: 'hello', to: 'world' }");

  const began = performance.now();
  const child = spawn(join(project, 'node_modules', '.bin', 'kurator'), ['dev', '--local'], { cwd: project, env });
  const said = outputOf(child);
  const ended = new Promise((resolve) => child.once('exit', resolve));
  try {
    const heard = (words: string) => expect.poll(said, { timeout: 60_000, interval: 50 }).toContain(words);
    await heard('up; reloads');
    times.push(`  ${((performance.now() - began) / 1000).toFixed(1).padStart(5)} s  kurator dev --local is up`);
    const kubeconfig = /KUBECONFIG=(\S+)/.exec(said())?.[1] ?? '';
    const client = createClient(await loadKubeconfig(kubeconfig));
    try {
      const sample = { name: 'sample', namespace: 'default' };
      const has = (text: string) => waitFor(client, ConfigMap, sample, ({ data }) => data?.text === text);
      await timed('a sample is applied and reconciled', async () => {
        await client.create(Greeting, { metadata: sample, spec: {} } as never);
        await has('hello you');
      });
      await heard('Greeting default/sample reconciled');
      await timed('a source is saved, and what it says is so', async () => {
        await edit('src/greeting/controller.ts', ".join(' ')", ".join(' dear ')");
        await has('hello dear you');
      });
      expect(await timed('kurator generate', () => kurator('generate'))).toContain('created   deploy/base/rbac.yaml');
      // The API server takes all of it: there are no nodes here that would run it.
      const kubectl = ['cluster', 'kubectl', '--name', 'dev-hello-operator', '--'];
      expect(await kurator(...kubectl, 'apply', '-k', 'deploy/base')).toContain(
        'deployment.apps/hello-operator created',
      );
      const bin = join(project, 'node_modules', '.bin', 'kurator');
      const types = ['generate', 'types', '--types-from', 'greetings.apps.example.com'];
      expect(await run(project, 'env', `KUBECONFIG=${kubeconfig}`, bin, ...types)).toContain('src/types/greeting.ts');
      await edit('src/greeting/controller.ts', 'export function', 'export functio');
      await heard('what ran before goes on');
      await edit('src/greeting/controller.ts', 'export functio', 'export function');
      await edit('src/greeting/controller.ts', ".join(' dear ')", ".join(' ')");
      await has('hello you');
    } finally {
      await client.close();
    }
  } finally {
    child.kill('SIGINT');
    expect(await ended, said()).toBe(0);
  }
  expect((await listClusters()).map(({ name }) => name)).not.toContain('dev-hello-operator');
});

describe('in a cluster of three nodes', () => {
  const operator = { name: 'hello-operator', namespace: 'hello-operator' };
  const LARGEST = 60e6;
  let cluster: Cluster;
  let client: Client;

  const kurator = (...args: string[]) =>
    run(project, 'env', `KUBECONFIG=${cluster.kubeconfig}`, join(project, 'node_modules', '.bin', 'kurator'), ...args);

  beforeAll(async () => {
    cluster = (await createCluster({ name: 'e2e-new', nodes: 3, closed: false })).cluster;
    client = await cluster.client();
  }, 10 * 60_000);
  afterAll(async () => {
    await client?.close();
    await cluster?.down();
  });

  it('build: a small image, which every node has', async () => {
    const told = await timed('kurator build --load', () => kurator('build', '-o', 'json', '--load', 'e2e-new'));
    const { size } = JSON.parse(/^\{[\s\S]*?^\}/m.exec(told)?.[0] ?? '') as { size: number };
    expect(size).toBeLessThan(LARGEST);
    times.push(`  ${(size / 1e6).toFixed(1).padStart(5)} MB the image, compressed`);
  });

  it('deploy: two replicas, of which one leads, do what a sample says', async () => {
    const told = await timed('kurator deploy', () => kurator('deploy'));
    expect(told).toContain('hello-operator is running');
    await timed('kubectl apply of a sample, until it is reconciled', async () => {
      await kubectl(cluster, ['apply', '-n', 'default', '-f', join(project, 'samples', 'greeting.yaml')]);
      await waitFor(
        client,
        ConfigMap,
        { name: 'sample', namespace: 'default' },
        ({ data }) => data?.text === 'hello you',
      );
    });
  });

  it('the leader’s pod is deleted: the other replica takes over, and does the work', async () => {
    const leader = await leaderOf(client, operator);
    await timed('the leader’s pod is deleted, until a child that is deleted too is there again', async () => {
      await client.delete(Pod, { name: leader, namespace: operator.namespace });
      await eventually(async () => expect(await leaderOf(client, operator)).not.toBe(leader), {
        ...patiently,
        timeout: 100_000,
      });
      const sample = { name: 'sample', namespace: 'default' };
      const { metadata } = await client.get(ConfigMap, sample);
      await client.delete(ConfigMap, sample);
      await waitFor(client, ConfigMap, sample, (found) => found.metadata.uid !== metadata.uid, { timeout: 100_000 });
    });
    const started = await eventually(async () => await coldStart(cluster, client, operator), {
      ...patiently,
      timeout: 100_000,
    });
    times.push(`  ${started.toFixed(2).padStart(5)} s  cold start in a pod`);
  });

  it('scorecard: what it lives up to, line by line', async () => {
    const told = await timed('kurator scorecard --disruptive', () =>
      kurator('scorecard', '--disruptive', '--yes', '--level', '0', '--timeout', '100s', '-o', 'json').catch(
        (error: Error) => error.message,
      ),
    );
    const { tests, levels, reached } = JSON.parse(/^\{[\s\S]*?^\}/m.exec(told)?.[0] ?? '') as Scores;
    const found = Object.fromEntries(
      [...tests, ...levels.flatMap(({ lines }) => lines)].map((line) => [line.id, line]),
    );
    const results = Object.fromEntries(Object.entries(found).map(([id, { result }]) => [id, result]));
    expect(results, JSON.stringify(found, undefined, 2)).toMatchObject({
      'basic-check-spec': 'met',
      // Nobody has said yet who maintains it.
      'olm-bundle-validation': 'unmet',
      'install-ready': 'met',
      'install-reconciled': 'met',
      'install-status': 'met',
      'upgrade-definitions': 'met',
      'upgrade-versions': 'notApplicable',
      'upgrade-rolling': 'met',
      'upgrade-image': 'untested',
      'lifecycle-spread': 'met',
      'lifecycle-takeover': 'met',
      'lifecycle-remade': 'met',
      'lifecycle-restore': 'met',
      'insight-metrics': 'met',
      'insight-alerts': 'unmet',
      'insight-logs': 'met',
      'autopilot-drift': 'met',
      'autopilot-scale': 'unmet',
    });
    expect(reached).toBe(1);
    const { items } = await client.list(Namespace);
    const left = items.filter(
      ({ metadata }) => /^kurator-scorecard/.test(metadata.name) && !metadata.deletionTimestamp,
    );
    expect(left).toEqual([]);
  });

  it('make docker-build docker-push deploy: the image is built, pushed, and what the nodes then pull', async () => {
    await using registry = await localRegistry();
    const image = `${registry.host}/team/hello-operator:0.2.0`;
    const made = (...targets: string[]) =>
      run(project, 'env', `KUBECONFIG=${cluster.kubeconfig}`, 'make', ...targets, `IMG=${image}`);
    const told = await timed('make docker-build docker-push deploy', () =>
      made('docker-build', 'docker-push', 'deploy'),
    );
    expect(told).toContain('hello-operator is running');
    const { spec, status } = await client.get(Deployment, operator);
    expect(spec?.template.spec?.containers[0]?.image).toMatch(`${image}@sha256:`);
    expect(status?.updatedReplicas).toBe(2);
  });
});

it('webhooks and a second version; its tests, and what is generated, are right', async () => {
  await kurator('create', 'webhook', '--kind', 'Greeting', '--validate', '--mutate');
  await kurator('create', 'conversion', '--kind', 'Greeting', '--version', 'v1beta1');
  await timed('npm test, with webhooks and two versions', npmTest);
  expect(await kurator('generate')).toContain('updated   deploy/crds/greetings.apps.example.com.yaml');
  expect(await timed('kurator generate --check', () => kurator('generate', '--check'))).toContain('up to date');
  await edit('deploy/crds/greetings.apps.example.com.yaml', 'kind: CustomResourceDefinition', 'kind: Something');
  await expect(kurator('generate', '--check')).rejects.toThrow('outdated  deploy/crds/greetings.apps.example.com.yaml');
});
