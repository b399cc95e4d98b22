/** `kurator drill` as a person runs it, on services of his own: what is broken is really broken, is repaired, and told. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Kurator } from '@kurator/operator-kurator';
import { Deployment, Event, Namespace, Pod } from '@kurator/sdk';
import { eventually } from '@kurator/testenv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HealerWorld, hung, restarts, uids } from './support/healer/healer-world.ts';
import { needing } from './support/healer/services.ts';
import { iptablesImage } from './support/iptables-image.ts';
import { kubectl, patiently } from './support/kubectl.ts';

const main = join(import.meta.dirname, '..', 'packages', 'cli', 'src', 'main.ts');
const patience = 100_000;
const iptables = 'iptables:drill';
/** Nobody here takes long to start; until then a drill would be refused. */
const quick = { startupGrace: '10s' };
let world: HealerWorld;

/** A person would have to agree to every step, and nobody does: what ends the fault must be the drill itself. */
const asked = { enabled: true, approval: true };
const unrepaired = { ...quick, recovery: { steps: { replace: asked, restart: asked, rollback: asked, scale: asked } } };
const services = ['hangs', 'dies', 'left', 'busy', 'crashes', 'deaf', 'halted', 'store', 'shop'];

beforeAll(async () => {
  // Many services that fail at once are a storm, which they are here on purpose.
  world = await HealerWorld.open('e2e-drill', 1, { entry: 'e2e/support/healer/quick-storm.ts' });
  const image = iptablesImage(iptables);
  await world.own('Deployment', 'hangs', quick);
  await world.adopt('Deployment', 'dies', quick);
  await world.own('Deployment', 'left', unrepaired);
  const pair = { replicas: 2 };
  const resources = { requests: { cpu: '50m' }, limits: { cpu: '200m' } };
  await world.own('Deployment', 'busy', quick, { ...pair, resources });
  await world.adopt('Deployment', 'crashes', quick, pair);
  await world.adopt('Deployment', 'deaf', quick, pair);
  await world.adopt('Deployment', 'halted', unrepaired, { ...pair, sharesProcesses: true });
  await world.own('Deployment', 'store', quick, pair);
  // Its Service must be there first: pods are told its address when they start.
  await world.untilHealthy('store');
  const script = needing('http://$STORE_SERVICE_HOST:8080/');
  const patient = { dependsOn: ['store'], coordination: { recoverWithin: '30s' } };
  await world.adopt('Deployment', 'shop', { ...quick, ...patient }, { ...pair, script });
  await world.cluster.load((await image).path);
  await Promise.all(services.map((name) => world.untilHealthy(name)));
});
afterAll(async () => await world?.[Symbol.asyncDispose]());

function start(...args: string[]): ChildProcess {
  const node = ['--conditions=source', '--disable-warning=ExperimentalWarning', main];
  const line = [...node, 'drill', ...args, '-n', 'default', '--kubeconfig', world.cluster.kubeconfig];
  return spawn(process.execPath, line, { stdio: ['ignore', 'pipe', 'pipe'] });
}

async function drill(...args: string[]) {
  return await outcomeOf(start(...args));
}

async function outcomeOf(child: ChildProcess) {
  const ended = once(child, 'exit');
  const [stdout, stderr] = await Promise.all([text(child.stdout as never), text(child.stderr as never)]);
  return { stdout, stderr, code: (await ended)[0] as number };
}

/** That it has come out well, as a program would read it. */
async function report(...args: string[]) {
  const { stdout, stderr, code } = await drill(...args, '--yes', '-o', 'json');
  expect(code, `${stdout}\n${stderr}`).toBe(0);
  return JSON.parse(stdout);
}

/** Resolves when nothing speaks against a drill any more. */
async function allow(): Promise<void> {
  const patch = { metadata: { labels: { 'kurator.sh/drill': 'allowed' } } };
  await world.client.patch(Namespace, { name: 'default' }, patch);
  await Promise.all(
    ['hangs', 'left', 'store', 'shop'].map((name) =>
      eventually(
        async () => {
          const { stdout, stderr } = await drill(name, '--fault', 'hang', '--dry-run');
          expect(stdout, stderr).toContain('Nothing was done');
        },
        { ...patiently, timeout: patience },
      ),
    ),
  );
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
    const told = await report('hangs', '--fault', 'hang');
    const [ill = ''] = told.drill.pods as string[];
    expect(told).toMatchObject({
      outcome: 'recovered',
      drill: { fault: 'hang', service: 'default/hangs' },
      disturbed: [],
      incident: { cause: hung, actions: [{ step: 'replace', targets: [ill], outcome: 'done' }] },
    });
    expect(told.recoveredAfter).toBeGreaterThan(told.detectedAfter);
    expect(told.requests.sent).toBeGreaterThan(told.requests.lost);
    expect(before.map(({ metadata }) => metadata.name)).toContain(ill);
    expect(await markOf('hangs')).toBeUndefined();
    const { id } = told.drill;
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
    const child = start('left', '--fault', 'hang', '--deadline', '10s', '--yes', '--rate', '0');
    const pod = await untilHeld('left');
    child.kill('SIGKILL');
    await eventually(async () => expect(await answers(pod)).toBe(true), { ...patiently, timeout: patience });
    const { status } = await world.client.get(Pod, { name: pod, namespace: 'default' });
    expect(status?.containerStatuses?.[0]?.restartCount).toBe(0);
    expect((await drill('left', '--fault', 'kill', '--yes')).stderr).toContain('is under way until');
    expect((await drill('left', '--heal')).code).toBe(0);
    expect(await markOf('left')).toBeUndefined();
  });
});

describe('and of another kind', () => {
  it.concurrent('a bad revision: it is rolled back, and of the drill nothing stays in the workload', async () => {
    await world.untilProven('crashes');
    const before = await world.pods('crashes');
    const told = await report('crashes', '--fault', 'crash-loop');
    expect(told).toMatchObject({
      outcome: 'recovered',
      incident: { cause: 'bad-revision', actions: [{ step: 'rollback', outcome: 'done' }] },
    });
    const { spec } = await world.client.get(Deployment, { name: 'crashes', namespace: 'default' });
    expect(spec?.template.spec?.initContainers ?? []).toEqual([]);
    await eventually(async () => expect(uids(await world.pods('crashes'))).toEqual(uids(before)), {
      ...patiently,
      timeout: patience,
    });
  });

  it.concurrent('packets to one instance are lost: it is replaced', async () => {
    const told = await report('deaf', '--fault', 'packet-loss', '--percent', '100', '--image', iptables);
    const [ill = ''] = told.drill.pods as string[];
    expect(told).toMatchObject({
      outcome: 'recovered',
      disturbed: [],
      incident: { cause: 'unreachable', actions: [{ step: 'replace', targets: [ill], outcome: 'done' }] },
    });
  });

  it.concurrent('a hang by signals, and Ctrl-C: it is over at once', async () => {
    const child = start('halted', '--fault', 'hang', '--yes', '--rate', '0');
    const ended = outcomeOf(child);
    const pod = await untilHeld('halted');
    child.kill('SIGINT');
    expect((await ended).code).toBe(130);
    await eventually(async () => expect(await answers(pod)).toBe(true), { ...patiently, timeout: patience });
    expect(await markOf('halted')).toBeUndefined();
    expect(await eventsOf('halted')).toContainEqual(expect.stringMatching(/^DrillEnded: \w+: broken off$/));
    expect(await leftIn(pod)).toEqual([]);
  });

  it.concurrent('a load: nothing is restarted for it, and nothing of it stays, even after a Ctrl-C', async () => {
    const pods = await world.pods('busy');
    const names = pods.map(({ metadata }) => metadata.name);
    const ending = report('busy', '--fault', 'load', '--deadline', '10s');
    const seen = Promise.all(
      names.map((pod) =>
        eventually(async () => expect(await leftIn(pod)).not.toEqual([]), { ...patiently, timeout: patience }),
      ),
    );
    const [told] = await Promise.all([ending, seen]);
    expect(told).toMatchObject({ outcome: 'undisturbed', disturbed: [] });

    const child = start('busy', '--fault', 'load', '--yes', '--rate', '0');
    const ended = outcomeOf(child);
    await once(child.stderr as never, 'data');
    child.kill('SIGINT');
    expect((await ended).code).toBe(130);
    for (const pod of names)
      await eventually(async () => expect(await leftIn(pod)).toEqual([]), { ...patiently, timeout: patience });
    expect(await markOf('busy')).toBeUndefined();
    const after = await world.pods('busy');
    expect(uids(after)).toEqual(uids(pods));
    expect(restarts(after)).toBe(0);
  });
});

it('of what it depends on: that one is repaired, and its dependant is left alone', async () => {
  await Promise.all(['shop', 'store'].map((name) => world.untilHealthy(name)));
  const before = await world.pods('shop');
  const told = await report('shop', '--fault', 'dependency', '--dependency', 'store');
  expect(told).toMatchObject({
    outcome: 'recovered',
    drill: { service: 'default/shop', dependency: 'default/store' },
    disturbed: [],
  });
  expect(told.incident.actions).toContainEqual(expect.objectContaining({ outcome: 'done' }));
  expect(told.dependant?.actions ?? []).toEqual([]);
  const after = await world.pods('shop');
  expect(uids(after)).toEqual(uids(before));
  expect(restarts(after)).toBe(0);
});

/** Resolves with the instance that is held still, when it is. */
async function untilHeld(service: string): Promise<string> {
  const pod = await eventually(
    async () => {
      const mark = await markOf(service);
      const [name = ''] = mark?.pods ?? [];
      const held = await world.client.logs({ name, namespace: 'default' }, { container: `kurator-drill-${mark?.id}` });
      expect(held).toMatch(/^ok$/m);
      return name;
    },
    { ...patiently, timeout: patience },
  );
  expect(await answers(pod)).toBe(false);
  return pod;
}

/** Processes of a drill that run in an instance. */
async function leftIn(pod: string): Promise<string[]> {
  const all = await kubectl(world.cluster, ['exec', pod, '-c', 'main', '--', 'ps', '-o', 'args']);
  return all.split('\n').filter((line) => /kurator-drill|^sleep/.test(line));
}

/** Asked as its users would. */
async function answers(pod: string): Promise<boolean> {
  const path = `/api/v1/namespaces/default/pods/${pod}:8080/proxy/`;
  return await kubectl(world.cluster, ['get', '--raw', path, '--request-timeout', '3s']).then(
    () => true,
    () => false,
  );
}
