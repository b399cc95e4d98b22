/** `kurator drill` as a person runs it, on services of his own: what is broken is really broken, is repaired, and told. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Kurator } from '@kurator/operator-kurator';
import { Event, Namespace, Pod } from '@kurator/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HealerWorld, hung, restarts, uids } from './support/healer/healer-world.ts';
import { eventually, kubectl } from './support/kubectl.ts';

const main = join(import.meta.dirname, '..', 'packages', 'cli', 'src', 'main.ts');
const patience = 100_000;
/** Nobody here takes long to start; until then a drill would be refused. */
const quick = { startupGrace: '10s' };
let world: HealerWorld;

beforeAll(async () => {
  world = await HealerWorld.open('e2e-drill');
  await world.own('Deployment', 'hangs', quick);
  await world.adopt('Deployment', 'dies', quick);
  // A person would have to agree to every step, and nobody does: what heals it must be the drill itself.
  const asked = { enabled: true, approval: true };
  const recovery = { steps: { replace: asked, restart: asked, rollback: asked, scale: asked } };
  await world.own('Deployment', 'left', { ...quick, recovery });
  await Promise.all(['hangs', 'dies', 'left'].map((name) => world.untilHealthy(name)));
});
afterAll(async () => await world?.[Symbol.asyncDispose]());

function start(...args: string[]): ChildProcess {
  const node = ['--conditions=source', '--disable-warning=ExperimentalWarning', main];
  const line = [...node, 'drill', ...args, '-n', 'default', '--kubeconfig', world.cluster.kubeconfig];
  return spawn(process.execPath, line, { stdio: ['ignore', 'pipe', 'pipe'] });
}

async function drill(...args: string[]) {
  const child = start(...args);
  const ended = once(child, 'exit');
  const [stdout, stderr] = await Promise.all([text(child.stdout as never), text(child.stderr as never)]);
  return { stdout, stderr, code: (await ended)[0] as number };
}

/** Resolves when nothing speaks against a drill any more. */
async function allow(): Promise<void> {
  const patch = { metadata: { labels: { 'kurator.sh/drill': 'allowed' } } };
  await world.client.patch(Namespace, { name: 'default' }, patch);
  for (const name of ['hangs', 'left']) {
    await eventually(async () => {
      const { stdout, stderr } = await drill(name, '--fault', 'hang', '--dry-run');
      expect(stdout, stderr).toContain('Nothing was done');
    }, patience);
  }
}

async function markOf(name: string): Promise<{ id: string; pods: string[] } | undefined> {
  const { metadata } = await world.client.get(Kurator, { name, namespace: 'default' });
  const mark = metadata.annotations?.['kurator.sh/drill'];
  return mark ? (JSON.parse(mark) as { id: string; pods: string[] }) : undefined;
}

/** What the drill said about it, where everybody looks. */
async function eventsOf(name: string): Promise<string[]> {
  const { items } = await world.client.list(Event, { namespace: 'default' });
  const own = items.filter(({ involvedObject: { kind, name: whose } }) => kind === 'Kurator' && whose === name);
  return own.map(({ reason, message }) => `${reason}: ${message}`);
}

it('is refused in a namespace that does not allow it, and nothing is touched', async () => {
  const before = await world.pods('hangs');
  const { stdout, stderr, code } = await drill('hangs', '--fault', 'hang', '--yes');
  expect({ stdout, code }).toEqual({ stdout: '', code: 1 });
  expect(stderr).toContain('kubectl label namespace default kurator.sh/drill=allowed');
  expect(uids(await world.pods('hangs'))).toEqual(uids(before));
  expect(await markOf('hangs')).toBeUndefined();
  await allow();
});

describe('of one instance of three', () => {
  it.concurrent('that hangs: it is replaced, and the report says when, why, and what it cost', async () => {
    const before = await world.pods('hangs');
    const { stdout, stderr, code } = await drill('hangs', '--fault', 'hang', '--yes', '-o', 'json');
    expect(code, `${stdout}\n${stderr}`).toBe(0);
    const report = JSON.parse(stdout);
    const [ill = ''] = report.drill.instances as string[];
    expect(report).toMatchObject({
      outcome: 'recovered',
      drill: { fault: 'hang', service: 'default/hangs' },
      disturbed: [],
      incident: { cause: hung, actions: [{ step: 'replace', targets: [ill], outcome: 'done' }] },
    });
    expect(report.recoveredAfter).toBeGreaterThan(report.detectedAfter);
    expect(report.requests.sent).toBeGreaterThan(report.requests.lost);
    expect(before.map(({ metadata }) => metadata.name)).toContain(ill);
    expect(await markOf('hangs')).toBeUndefined();
    const { id } = report.drill;
    expect(await eventsOf('hangs')).toEqual(
      expect.arrayContaining([expect.stringContaining(`DrillStarted: ${id}`), `DrillEnded: ${id}: recovered`]),
    );
  });

  it.concurrent('that is killed: Kubernetes restores it, and nobody else is touched', async () => {
    const before = await world.pods('dies');
    const { stdout, stderr, code } = await drill('dies', '--fault', 'kill', '--yes');
    expect(code, `${stdout}\n${stderr}`).toBe(0);
    expect(stdout).toContain('it recovered by itself');
    expect(stdout).toMatch(/detected after +\d/);
    expect(stdout).toContain('not measured: no Service leads to it');
    expect(stdout).toContain('ended with exit code 137');
    const after = await world.pods('dies');
    expect(uids(after)).toEqual(uids(before));
    expect(restarts(after)).toBe(1);
  });

  it.concurrent('by a command that is killed itself: the fault ends by itself', async () => {
    const child = start('left', '--fault', 'hang', '--deadline', '15s', '--yes', '--rate', '0');
    const pod = await eventually(async () => {
      const mark = await markOf('left');
      const [name = ''] = mark?.pods ?? [];
      const held = await world.client.logs({ name, namespace: 'default' }, { container: `kurator-drill-${mark?.id}` });
      expect(held).toMatch(/^ok$/m);
      return name;
    }, patience);
    expect(await answers(pod)).toBe(false);
    child.kill('SIGKILL');
    await eventually(async () => expect(await answers(pod)).toBe(true), patience);
    const { status } = await world.client.get(Pod, { name: pod, namespace: 'default' });
    expect(status?.containerStatuses?.[0]?.restartCount).toBe(0);
    expect((await drill('left', '--fault', 'kill', '--yes')).stderr).toContain('is under way until');
    expect((await drill('left', '--heal')).code).toBe(0);
    expect(await markOf('left')).toBeUndefined();
  });
});

/** Asked as its users would. */
async function answers(pod: string): Promise<boolean> {
  const path = `/api/v1/namespaces/default/pods/${pod}:8080/proxy/`;
  return await kubectl(world.cluster, ['get', '--raw', path, '--request-timeout', '3s']).then(
    () => true,
    () => false,
  );
}
