import { execFileSync, spawn } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { ConfigMap, createClient, kubeconfigFromYaml, Namespace } from '@kurator/client';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type CommandPlace, commandPlace, type Ended } from './command.ts';

const aWhile = { timeout: 20_000, interval: 50 };

/** Processes whose command line has this text in it. */
function processesAbout(text: string): string[] {
  const lines = execFileSync('ps', ['-axo', 'pid=,args='], { encoding: 'utf8' }).split('\n');
  return lines.filter((line) => line.includes(text));
}

describe('a cluster that is up', () => {
  let place: CommandPlace;
  let first: Ended;
  const kurator = (...args: string[]) => place.run('cluster', ...args, '--name', 'one');

  beforeAll(async () => {
    place = await commandPlace();
    first = await kurator('up', '--control-plane-only', '-o', 'json');
  });
  afterAll(async () => {
    await place[Symbol.asyncDispose]();
  });

  it('is described on standard output, and nothing else is there', () => {
    expect(first).toMatchObject({ code: 0 });
    expect(JSON.parse(first.stdout)).toEqual({
      name: 'one',
      created: true,
      version: expect.stringMatching(/^1\.\d+\.\d+$/),
      nodeVersion: expect.any(String),
      nodes: 0,
      createdAt: expect.any(String),
      folder: join(place.clusters, 'one'),
      kubeconfig: join(place.clusters, 'one', 'kubeconfig'),
    });
  });

  it('stays as it is when it is brought up again', async () => {
    const again = await kurator('up');
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('is already running') });
    expect(JSON.parse((await kurator('up', '-o', 'json')).stdout)).toMatchObject({ created: false });
  });

  it('is not made into another one', async () => {
    const other = await kurator('up', '--nodes', '2');
    expect(other).toMatchObject({ code: 1, stdout: '' });
    expect(other.stderr).toContain('it has 0 nodes, not 2');
    expect(other.stderr).toContain('  fix: ');
  });

  it('is listed', async () => {
    const { stdout } = await place.run('cluster', 'list', '-o', 'json');
    expect(JSON.parse(stdout)).toEqual([
      {
        name: 'one',
        state: 'running',
        version: expect.any(String),
        nodes: 0,
        createdAt: expect.any(String),
        folder: join(place.clusters, 'one'),
        kubeconfig: join(place.clusters, 'one', 'kubeconfig'),
      },
    ]);
    const { stdout: text } = await place.run('cluster', 'list');
    expect(text).toMatch(/^NAME +STATE +VERSION +NODES +AGE +FOLDER\none +running +1\./);
  });

  it('is reached with the kubeconfig that is printed', async () => {
    const { stdout } = await kurator('kubeconfig');
    await using client = createClient(await kubeconfigFromYaml(stdout));
    const { items } = await client.list(Namespace);
    expect(items.map((namespace) => namespace.metadata.name)).toContain('default');
    expect((await kurator('kubeconfig', '--path')).stdout).toBe(`${join(place.clusters, 'one', 'kubeconfig')}\n`);
  });

  it('is reached by its own kubectl, whose exit code is passed on', async () => {
    const kubectl = (...args: string[]) => place.run('cluster', 'kubectl', '--name', 'one', '--', ...args);
    expect(await kubectl('create', 'configmap', 'by-kubectl', '--from-literal=a=b')).toMatchObject({ code: 0 });
    const { stdout } = await kurator('kubeconfig');
    await using client = createClient(await kubeconfigFromYaml(stdout));
    expect(await client.get(ConfigMap, { name: 'by-kubectl', namespace: 'default' })).toMatchObject({
      data: { a: 'b' },
    });
    expect(await kubectl('get', 'configmap', 'none')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('NotFound'),
    });
  });

  it('says so where the healer is not installed, also as a plugin of kubectl', async () => {
    const kubeconfig = join(place.clusters, 'one', 'kubeconfig');
    const { code, stdout, stderr } = await place.run('get', '--kubeconfig', kubeconfig, '--verbose');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('this cluster does not know Kurators');
    expect(stderr).toContain('KUR_CLI_NO_HEALER');
    const plugin = join(place.clusters, 'kubectl-kurator');
    const program = join(import.meta.dirname, '../../kubectl-kurator/src/kubectl-kurator.ts');
    await writeFile(plugin, `#!/bin/sh\nexec "${process.execPath}" --conditions=source "${program}" "$@"\n`, {
      mode: 0o755,
    });
    const path = process.env.PATH;
    process.env.PATH = `${place.clusters}:${path}`;
    try {
      const kubectl = ['cluster', 'kubectl', '--name', 'one', '--'];
      const asked = await place.run(...kubectl, 'kurator', 'get', '--kubeconfig', kubeconfig);
      expect(asked).toMatchObject({ code: 1, stdout: '' });
      expect(asked.stderr).toContain('this cluster does not know Kurators');
      expect((await place.run(...kubectl, 'kurator', '--help')).stdout).toContain('Usage: kubectl kurator');
    } finally {
      process.env.PATH = path;
      await rm(plugin);
    }
  });

  it('shows its parts', async () => {
    const status = JSON.parse((await kurator('status', '-o', 'json')).stdout);
    expect(status).toMatchObject({ name: 'one', nodes: [], server: expect.stringMatching(/^https:\/\/127\.0\.0\.1:/) });
    expect(status.components).toEqual(
      ['etcd', 'kube-apiserver'].map((name) =>
        expect.objectContaining({ name, running: true, pid: expect.any(Number) }),
      ),
    );
    expect((await kurator('status')).stdout).toMatch(/^kube-apiserver +running +\d+ +\d+ MiB$/m);
  });

  it('shows its logs', async () => {
    expect((await kurator('logs')).stdout.split('\n')).toEqual(
      expect.arrayContaining(['etcd', 'kube-apiserver', 'supervisor']),
    );
    const { stdout } = await kurator('logs', 'etcd', '--lines', '3');
    expect(stdout.trim().split('\n')).toHaveLength(3);
    const unknown = await kurator('logs', 'kubelet@n1');
    expect(unknown).toMatchObject({ code: 1, stdout: '' });
    expect(unknown.stderr).toContain('"kubelet@n1" is not part of this cluster, a control plane alone');
    expect(unknown.stderr).toContain('etcd, kube-apiserver');
  });

  it('follows a log until it is interrupted', async () => {
    const following = place.start('cluster', 'logs', 'kube-apiserver', '--follow', '--lines', '0', '--name', 'one');
    let seen = '';
    following.child.stdout?.on('data', (chunk: string) => {
      seen += chunk;
    });
    const text = `seen-${Date.now()}`;
    await vi.waitFor(async () => {
      // Again and again, because what is written before the command looks at the file is not new to it.
      await writeFile(join(place.clusters, 'one', 'logs', 'kube-apiserver.log'), `${text}\n`, { flag: 'a' });
      expect(seen).toContain(text);
    }, aWhile);
    following.child.kill('SIGINT');
    expect(await following.ended).toMatchObject({ code: 0, stderr: '' });
  });

  it('has no node to load an image into', async () => {
    const refused = await place.run('cluster', 'load', '--name', 'one', import.meta.filename);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('has no node to load an image into') });
  });

  it('is named where another one was asked for', async () => {
    const refused = await place.run('cluster', 'status', '--name', 'two');
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toBe('error: there is no cluster called "two"\n  fix: choose one with --name: one\n');
  });
});

describe('taking clusters down', () => {
  it('leaves no file and no process', async () => {
    await using place = await commandPlace();
    expect(await place.run('cluster', 'up', '--control-plane-only')).toMatchObject({ code: 0 });
    expect(processesAbout(place.clusters)).not.toEqual([]);
    expect(await place.run('cluster', 'down')).toMatchObject({ code: 0, stdout: expect.stringContaining('is gone') });
    expect(await place.leftovers()).toEqual([]);
    await vi.waitFor(() => expect(processesAbout(place.clusters)).toEqual([]), aWhile);
    expect(await place.run('cluster', 'down')).toMatchObject({ code: 0 });
    expect(await place.run('cluster', 'down', '--name', 'none')).toMatchObject({ code: 1 });
  });

  it('removes what a killed supervisor left, and its logs can be read until then', async () => {
    await using place = await commandPlace();
    await place.run('cluster', 'up', '--control-plane-only');
    const { supervisor } = JSON.parse((await place.run('cluster', 'status', '-o', 'json')).stdout);
    process.kill(supervisor.pid, 'SIGKILL');
    await vi.waitFor(async () => {
      expect((await place.run('cluster', 'list')).stdout).toContain('dead');
    }, aWhile);
    const status = await place.run('cluster', 'status');
    expect(status).toMatchObject({ code: 1, stderr: expect.stringContaining('is dead: its supervisor was killed') });
    expect((await place.run('cluster', 'logs', 'supervisor')).code).toBe(0);
    expect(await place.run('cluster', 'down')).toMatchObject({ code: 0 });
    expect(await place.leftovers()).toEqual([]);
  });

  it('outlasts what a shutdown sends to everybody: its files go all the same', async () => {
    await using place = await commandPlace();
    await place.run('cluster', 'up', '--control-plane-only');
    const { supervisor } = JSON.parse((await place.run('cluster', 'status', '-o', 'json')).stdout);
    const reaper = processesAbout(place.clusters).find((line) => line.includes('kurator-reaper'));
    for (const pid of [Number.parseInt(reaper ?? '', 10), supervisor.pid]) process.kill(pid, 'SIGTERM');
    await vi.waitFor(async () => expect(await place.leftovers()).toEqual([]), aWhile);
    await vi.waitFor(() => expect(processesAbout(place.clusters)).toEqual([]), aWhile);
  });

  it('takes all of them down only after a yes, and leaves a process alone that has the number of a dead supervisor', async () => {
    await using place = await commandPlace();
    await place.run('cluster', 'up', '--control-plane-only');
    const { supervisor } = JSON.parse((await place.run('cluster', 'status', '-o', 'json')).stdout);
    process.kill(supervisor.pid, 'SIGKILL');
    await vi.waitFor(() => expect(processesAbout(place.clusters)).toEqual([]), aWhile);
    const stranger = spawn('sleep', ['600'], { stdio: 'ignore' });
    try {
      // As it is after a reboot: the numbers are given anew.
      const owner = join(place.clusters, 'kurator', 'owner');
      const [role, , startTime, machine, , ...rest] = (await readFile(owner, 'utf8')).split(/[ -]/);
      await writeFile(owner, `${role} ${[stranger.pid, startTime, machine, '00000000', ...rest].join('-')}`);
      const unasked = await place.run('cluster', 'down', '--all', '--verbose');
      expect(unasked).toMatchObject({ code: 2, stdout: '' });
      expect(unasked.stderr).toContain('KUR_CLI_NOT_CONFIRMED');
      expect(unasked.stderr).toContain('fix: give --yes');
      expect(await place.leftovers()).toEqual(['kurator']);
      expect(await place.run('cluster', 'down', '--all', '--yes')).toMatchObject({ code: 0 });
      expect(await place.leftovers()).toEqual([]);
      expect(stranger).toMatchObject({ exitCode: null, signalCode: null });
    } finally {
      stranger.kill('SIGKILL');
    }
  });
});

describe('bringing a cluster up', () => {
  it('is broken off by Ctrl-C without leaving anything', async () => {
    await using place = await commandPlace();
    const up = place.start('cluster', 'up', '--control-plane-only', '--name', 'short');
    await vi.waitFor(() => expect(processesAbout(join(place.clusters, 'short', 'etcd'))).not.toEqual([]), aWhile);
    up.child.kill('SIGINT');
    const { code, stdout, stderr } = await up.ended;
    expect({ code, stdout }).toEqual({ code: 130, stdout: '' });
    expect(stderr).toContain('Cleaned up: nothing of the cluster "short" is left.');
    expect(await place.leftovers()).toEqual([]);
    await vi.waitFor(() => expect(processesAbout(place.clusters)).toEqual([]), aWhile);
  });

  it('is done once when it is asked for twice at the same time', async () => {
    await using place = await commandPlace();
    const up = () => place.run('cluster', 'up', '--control-plane-only', '-o', 'json');
    const both = await Promise.all([up(), up()]);
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    const created = both.map(({ stdout }) => (JSON.parse(stdout) as { created: boolean }).created);
    expect(created.sort()).toEqual([false, true]);
  });
});

describe('bad input', () => {
  let place: CommandPlace;
  beforeAll(async () => {
    place = await commandPlace();
  });
  afterAll(async () => {
    await place[Symbol.asyncDispose]();
  });

  it.each([
    ['a name that is none', ['--name', 'No Good'], 2, 'name "No Good" is not one'],
    ['a version that nobody knows', ['--version', '9.9'], 2, '"9.9" is no Kubernetes version'],
    ['a port together with nodes', ['--nodes', '1', '--port', '6443'], 2, 'port is for a control plane alone'],
    ['a folder without the programs', ['--binaries', import.meta.dirname], 1, 'does not hold'],
  ])('is answered with what is wrong and how to mend it: %s', async (_, args, code, message) => {
    const plane = args.includes('--nodes') ? [] : ['--control-plane-only'];
    const refused = await place.run('cluster', 'up', ...plane, ...args);
    expect(refused).toMatchObject({ code, stdout: '' });
    expect(refused.stderr).toMatch(/^error: /);
    expect(refused.stderr).toContain(message);
    expect(await place.leftovers()).toEqual([]);
  });

  it('names a port that is taken', async () => {
    const server = createServer();
    const port = await new Promise<number>((resolve) => {
      server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port));
    });
    try {
      const refused = await place.run('cluster', 'up', '--control-plane-only', '--port', String(port));
      expect(refused).toMatchObject({ code: 1, stdout: '' });
      expect(refused.stderr).toContain(`port ${port} on 127.0.0.1 is taken`);
      expect(refused.stderr).toContain('  fix: ');
      expect(await place.leftovers()).toEqual([]);
    } finally {
      server.close();
    }
  });

  it('shows the code of an error with --verbose', async () => {
    const { stderr } = await place.run('cluster', 'status', '--verbose');
    expect(stderr).toContain('  code: KUR_TESTENV_NO_CLUSTER');
  });

  it('does not take a stray file for a cluster', async () => {
    await mkdir(place.clusters, { recursive: true });
    await writeFile(join(place.clusters, 'file'), '');
    expect(await place.run('cluster', 'list', '-o', 'json')).toMatchObject({ code: 0, stdout: '[]\n' });
  });
});
