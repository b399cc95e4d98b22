import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, type ClientConfig, ConfigMap, createClient, Namespace } from '@kurator/client';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type CrashOptions, type CrashScenario, everyCrash, everyCrashBy } from '../../src/crash/every-crash.ts';
import { openGate } from '../../src/crash/internal/gate.ts';
import { startOperator } from '../../src/crash/internal/operator-process.ts';
import type { CrashMoment } from '../../src/crash/internal/plan.ts';
import { eventually } from '../../src/kit/eventually.ts';
import { sharedClient, testNamespace } from '../../src/shared-control-plane.ts';

const patience = { timeout: '120s' } as const;
const program = import.meta.resolve('./copying-operator.ts');
// The label is a change too, and has it copied again.
const writes = [
  'apply configmaps/copy #1',
  'patch configmaps/web #1',
  'apply configmaps/copy #2',
  'apply configmaps/copy #3',
];

const scenario: CrashScenario = {
  async run({ client, namespace }) {
    const [web, copy] = ['web', 'copy'].map((name) => ({ name, namespace })) as [Named, Named];
    const isCopied = async (colour: string) => {
      expect((await client.get(ConfigMap, copy)).data).toMatchObject({ colour });
      expect((await client.get(ConfigMap, web)).metadata.labels).toEqual({ copied: 'yes' });
    };
    await client.create(ConfigMap, { metadata: web, data: { colour: 'blue' } });
    await eventually(() => isCopied('blue'), patience);
    await client.patch(ConfigMap, web, { data: { colour: 'red' } });
    await eventually(() => isCopied('red'), patience);
  },
};
type Named = { name: string; namespace: string };
const quick: CrashOptions = { name: 'copying', settling: '2s' };

describe('the way to the API server', () => {
  let client: Client;
  let namespace: string;
  beforeEach(async () => {
    client = await sharedClient();
    namespace = await testNamespace(client, 'gate');
  });
  afterEach(() => client.close());

  it.each([
    ['before', { isDone: false, isTold: false }],
    ['during', { isDone: true, isTold: false }],
    ['after', { isDone: true, isTold: true }],
  ] satisfies [CrashMoment, object][])('ends %s a write, and nothing gets through any more', async (when, expected) => {
    const seen: object[] = [];
    const found = (name: string) => client.find(ConfigMap, { name, namespace });
    const plan = { write: 'create configmaps/web #1', when };
    const dead = Promise.withResolvers<void>();
    const gate = await openGate({
      config: client.config,
      namespace,
      leavesOut: [],
      plan,
      async onPoint() {
        const last = operator.create(ConfigMap, { metadata: { name: 'too-late', namespace } }, { retries: 0 });
        last.catch(() => {});
        await Promise.race([last.catch(() => {}), client.list(ConfigMap, { namespace })]);
        seen.push({ isDone: (await found('web')) !== undefined });
        gate.cut();
        dead.resolve();
      },
      afterWrite: async () => {},
    });
    const operator = createClient({ server: gate.url });
    try {
      const answer = operator.create(ConfigMap, { metadata: { name: 'web', namespace } }, { retries: 0 });
      const isTold = await answer.then(
        () => true,
        () => false,
      );
      await dead.promise;
      expect([...seen, { isTold }]).toEqual([{ isDone: expected.isDone }, { isTold: expected.isTold }]);
      expect(await found('too-late')).toBeUndefined();
      expect(gate.reached).toBe(true);
    } finally {
      await operator.close();
      await gate.close();
    }
  });
});

describe('what passes', () => {
  let client: Client;
  let namespace: string;
  beforeEach(async () => {
    client = await sharedClient();
    namespace = await testNamespace(client, 'gate');
  });
  afterEach(() => client.close());

  async function openedGate(config: ClientConfig) {
    const hooks = { onPoint: async () => {}, afterWrite: async () => {} };
    const gate = await openGate({ config, namespace, leavesOut: [], plan: undefined, ...hooks });
    onTestFinished(() => gate.close());
    return gate;
  }

  it('a Lease that is written in protobuf, and is released with all of its namespace', async () => {
    const gate = await openedGate(client.config);
    const path = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
    const headers = { 'content-type': 'application/vnd.kubernetes.protobuf' };
    const answer = await fetch(`${gate.url}${path}`, { method: 'POST', headers, body: protobufLease('leader') });
    expect(answer.status).toBe(201);
    expect([...gate.leases]).toEqual([path]);
    for (const written of gate.leases) await client.raw('DELETE', written);
    expect(await client.raw('GET', path)).toMatchObject({ items: [] });
  });

  it('a write that broke on the way, and has no number', async () => {
    const { hostname, port } = new URL(client.config.server);
    let isFirst = true;
    // Cuts the first connection, and leads all others to the API server.
    const cutting = createServer((socket) => {
      socket.on('error', () => {});
      if (isFirst) socket.destroy();
      else socket.pipe(connect(Number(port), hostname).on('error', () => {})).pipe(socket);
      isFirst = false;
    });
    await new Promise<void>((resolve) => cutting.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void cutting.close());
    const server = `https://${hostname}:${(cutting.address() as AddressInfo).port}`;
    const gate = await openedGate({ ...client.config, server });
    const operator = createClient({ server: gate.url });
    onTestFinished(() => operator.close());
    const create = () => operator.create(ConfigMap, { metadata: { name: 'web', namespace } }, { retries: 0 });
    await expect(create()).rejects.toThrow();
    await create();
    expect(gate.writes).toEqual(['create configmaps/web #1']);
  });
});

/** A Lease of this name as Go clients send it. */
function protobufLease(name: string): Buffer {
  const field = (number: number, content: Buffer) =>
    Buffer.concat([Buffer.from([number * 8 + 2, content.length]), content]);
  const text = (number: number, value: string) => field(number, Buffer.from(value));
  const type = Buffer.concat([text(1, 'coordination.k8s.io/v1'), text(2, 'Lease')]);
  const lease = field(1, text(1, name));
  return Buffer.concat([Buffer.from('k8s\0'), field(1, type), field(2, lease)]);
}

describe('every crash', { timeout: 600_000 }, () => {
  it('is survived by an operator that is killed at each of its writes', async () => {
    const report = await everyCrash(program, scenario, quick);
    expect(report.writes).toEqual(writes);
    expect(report.results.map(({ outcome }) => outcome)).toEqual(Array(12).fill('passed'));
    expect(String(report)).toContain('killed at 12 of 12 places: 12 ok, 0 failed');
  });

  it('is played again alone, by the variable', async () => {
    vi.stubEnv('KURATOR_CRASH', 'copying: during patch configmaps/web #1');
    try {
      const lines: string[] = [];
      const reporter = { info: (line: string) => void lines.push(line), verbose() {}, progress() {} };
      const { results } = await everyCrash(program, scenario, { ...quick, reporter });
      expect(results).toMatchObject([{ when: 'during', write: 'patch configmaps/web #1', outcome: 'passed' }]);
      expect(lines.join('\n')).toContain('killed at 1 of 12 places');
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it.each([
    ['after', 1],
    ['during', 0],
  ])('%s a write: what a process does upon an answer is done %i times', async (when, times) => {
    const folder = await mkdtemp(join(tmpdir(), 'crash-'));
    const notes = join(folder, 'notes');
    vi.stubEnv('KURATOR_CRASH', `copying: ${when} apply configmaps/copy #1`);
    try {
      await everyCrash({ program, env: { NOTES: notes } }, scenario, quick);
      const writers = new Map<string, Set<string>>();
      for (const line of (await readFile(notes, 'utf8')).trim().split('\n')) {
        const [namespace = '', process = ''] = line.split(' ');
        writers.set(namespace, (writers.get(namespace) ?? new Set()).add(process));
      }
      // The two undisturbed runs have one process each; the one with a crash has two.
      expect(writers.size).toBe(3);
      expect([...writers.values()].filter(({ size }) => size === 2)).toHaveLength(times);
    } finally {
      vi.unstubAllEnvs();
      await rm(folder, { recursive: true });
    }
  });

  it.each(['spoils-late', 'spoils-after-reading'])('is not over before what comes of it: %s', async (mode) => {
    vi.stubEnv('KURATOR_CRASH', 'copying: after apply configmaps/copy #3');
    try {
      const running = everyCrash({ program, args: [mode] }, scenario, { ...quick, settling: '6s' });
      await expect(running).rejects.toThrow("data.spoilt is 'yes', not undefined");
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it('is not tried with an operator whose writes are others each time', async () => {
    const waiting: CrashScenario = {
      async run({ client, namespace }) {
        const web = { name: 'web', namespace };
        await client.create(ConfigMap, { metadata: web });
        const isLabelled = async () => expect((await client.get(ConfigMap, web)).metadata.labels).toBeDefined();
        await eventually(isLabelled, patience);
      },
      normalise: () => undefined,
    };
    const running = everyCrash({ program, args: ['names-by-chance'] }, waiting, quick);
    await expect(running).rejects.toMatchObject({
      code: 'KUR_TESTENV_CRASH_SCENARIO',
      message: expect.stringContaining('apply configmaps/copy'),
    });
  });

  it("leaves no namespaces in a cluster of one's own", async () => {
    await using client = await sharedClient();
    const namespaces: string[] = [];
    const noting: CrashScenario = {
      run: async (world) => {
        namespaces.push(world.namespace);
        await scenario.run(world);
      },
    };
    await everyCrash(program, noting, { ...quick, client, share: 0.01 });
    expect(namespaces.length).toBeGreaterThanOrEqual(3);
    // This control plane has nobody who takes them away then.
    for (const name of namespaces)
      expect((await client.get(Namespace, { name })).metadata.deletionTimestamp).toBeDefined();
  });

  it('does not count where the process was not killed', async () => {
    const neverKilled: typeof startOperator = (...args) => {
      const process = startOperator(...args);
      const kill = async () => {
        void process.kill();
        return { code: 0, signal: null };
      };
      return { ...process, kill };
    };
    const running = everyCrashBy(neverKilled, program, scenario, { ...quick, share: 0.1 });
    await expect(running).rejects.toThrow('it was to be killed, and ended with exit code 0');
  });

  it('does not count where the write never came', async () => {
    let runs = 0;
    // Only the two undisturbed runs have a second colour.
    const shorter: CrashScenario = {
      run: async (world) => {
        const web = { name: 'web', namespace: world.namespace };
        if (runs++ < 2) await scenario.run(world);
        else await world.client.create(ConfigMap, { metadata: web });
      },
      normalise: () => undefined,
    };
    vi.stubEnv('KURATOR_CRASH', 'copying: before apply configmaps/copy #3');
    try {
      const running = everyCrash(program, shorter, quick);
      await expect(running).rejects.toMatchObject({ code: 'KUR_TESTENV_CRASH_SCENARIO' });
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it('shows what must never be, at the write after which it is', async () => {
    const always: CrashScenario['always'] = async ({ client, namespace }) => {
      const copy = await client.find(ConfigMap, { name: 'copy', namespace });
      if (copy?.data?.colour === 'red') throw new Error('a copy is red');
    };
    const running = everyCrash(program, { ...scenario, always }, quick);
    await expect(running).rejects.toThrow(
      'nobody disturbed it, and it failed: after apply configmaps/copy #3: a copy is red',
    );
  });

  it.each([
    ['falls-over', 'it ended by itself (exit code 3):\nit has had enough'],
    ['by-chance', /two undisturbed runs end differently:\nConfigMap copy: data.number is/],
  ])('is not tried with an operator that does it wrong undisturbed: %s', async (mode, message) => {
    const running = everyCrash({ program, args: [mode] }, scenario, quick);
    await expect(running).rejects.toThrow(message);
  });

  it('is not tried with an operator that writes nothing', async () => {
    const idle: CrashScenario = { run: async () => {} };
    const running = everyCrash({ program, args: ['writes-nothing'] }, idle, quick);
    await expect(running).rejects.toThrow('the operator wrote nothing in its namespace');
  });

  it.each([
    [{ share: 0 }, 'share is 0'],
    [{ concurrency: 0 }, 'concurrency is 0'],
    [{ quiet: 'soon' }, 'quiet is "soon"'],
  ])('wants options that make sense: %j', async (options, message) => {
    await expect(everyCrash(program, scenario, options)).rejects.toThrow(message);
  });
});
