/**
 * An operator that is killed at each of its steps: before it, while its request is under way, and right after it. What
 * others see of the objects' whole lives must be what they see when nothing goes wrong, state by state.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, ConfigMap, waitFor, waitUntilGone } from '@kurator/client';
import { type Cluster, createCluster, eventually, testNamespace } from '@kurator/testenv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Echo, installEcho } from './support/echo.ts';
import { isReady } from './support/echo-operator.ts';
import { type Death, type EchoProgram, startEchoProgram } from './support/echo-program.ts';
import { type History, recordHistory } from './support/history.ts';
import { Outside } from './support/outside.ts';

/** All that the operator does for one Echo that is made with three copies, changed to one, and deleted. */
const steps = [
  'patch Echo a', // holds it by the finalizer
  'put outside',
  'apply ConfigMap a',
  'apply ConfigMap a-1',
  'apply ConfigMap a-2',
  'patch Echo a/status',
  'put outside',
  'apply ConfigMap a',
  'delete ConfigMap a-1',
  'delete ConfigMap a-2',
  'patch Echo a/status',
  'remove outside',
  'patch Echo a', // lets it go
];
const aWhile = { timeout: 60_000 };

/** What became of an Echo, and what was done for it. */
interface Life {
  readonly history: History;
  readonly outside: string[];
  /** What each process began to do. */
  readonly begun: string[][];
}

let cluster: Cluster;
let client: Client;
let end: AbortController;
let folder: string;
let undisturbed: Life;

beforeAll(async () => {
  end = new AbortController();
  folder = await mkdtemp(join(tmpdir(), 'outside-'));
  // With its garbage collector, which is to find the last child, and nothing else.
  ({ cluster } = await createCluster({ name: `crash-${process.pid}`, controllers: true }));
  client = await cluster.client();
  await installEcho(client);
  undisturbed = await life([]);
});

afterAll(async () => {
  end.abort();
  await client?.close();
  await cluster?.down();
  await rm(folder, { recursive: true });
});

/** The whole life of an Echo under an operator that dies and is started again for as long as there are deaths left. */
async function life(deaths: readonly Death[]): Promise<Life> {
  const namespace = await testNamespace(client, 'crash');
  const outside = await mkdtemp(join(folder, 'things-'));
  const processes: EchoProgram[] = [];
  const failure = Promise.withResolvers<never>();
  const start = () => {
    const death = deaths[processes.length];
    const program = startEchoProgram({ namespace, folder: outside, death }, end.signal, cluster.kubeconfig);
    processes.push(program);
    void program.ended.then(([, signal]) => {
      if (signal !== 'SIGKILL') failure.reject(new Error(`it ended by itself: ${program.errors.join('\n')}`));
      else if (!end.signal.aborted) start();
    });
  };
  const history = await recordHistory(client, namespace, [Echo, ConfigMap], end.signal);
  start();
  const settling = async () => {
    await liveAndDie({ name: 'a', namespace });
    await eventually(
      () => {
        expect(processes).toHaveLength(deaths.length + 1);
        expect(processes.at(-1)?.messages()).toContain('everything is up');
      },
      { timeout: aWhile.timeout },
    );
  };
  await Promise.race([failure.promise, settling()]);
  failure.promise.catch(() => {});
  const last = processes.at(-1) as EchoProgram;
  last.child.kill('SIGTERM');
  expect(await last.ended).toEqual([0, null]);
  return { history, outside: new Outside(outside).diary(), begun: processes.map((process) => process.steps()) };
}

async function liveAndDie(echo: { name: string; namespace: string }): Promise<void> {
  await client.create(Echo, { metadata: echo, spec: { message: 'hello', copies: 3 } });
  await waitFor(client, Echo, echo, isReady, aWhile);
  await client.patch(Echo, echo, { spec: { message: 'bye', copies: 1 } });
  await waitFor(client, Echo, echo, isReady, aWhile);
  await client.delete(Echo, echo);
  await waitUntilGone(client, Echo, echo, aWhile);
  await waitUntilGone(client, ConfigMap, echo, aWhile);
}

function expectTheSame({ history, outside }: Life): void {
  expect(history).toEqual(undisturbed.history);
  expect(outside).toEqual(undisturbed.outside);
}

it('does each step once when nobody disturbs it', () => {
  expect(undisturbed.begun).toEqual([steps]);
  expect(undisturbed.outside).toEqual(['put hello', 'put bye', 'remove']);
  const { history } = undisturbed;
  expect(
    Object.keys(history)
      .filter((name) => !name.includes('kube-root-ca'))
      .sort(),
  ).toEqual(['ConfigMap a', 'ConfigMap a-1', 'ConfigMap a-2', 'Echo a']);
  expect(history['ConfigMap a']).toMatchObject([{ data: { message: 'hello' } }, { data: { message: 'bye' } }, 'gone']);
  // Made, held, ready, changed, ready again, deleted.
  expect(history['Echo a']).toHaveLength(7);
});

describe.concurrent('killed', { timeout: 240_000 }, () => {
  const table = steps.map((name, index) => ({ step: index + 1, name }));

  it.each(table)('before step $step ($name), it does that step next', async ({ step }) => {
    const lived = await life([{ when: 'before', step }]);
    expect(lived.begun).toEqual([steps.slice(0, step), steps.slice(step - 1)]);
    expectTheSame(lived);
  });

  it.each(table)('after step $step ($name), it does not do that step again', async ({ step }) => {
    const lived = await life([{ when: 'after', step }]);
    expect(lived.begun).toEqual([steps.slice(0, step), steps.slice(step)]);
    expectTheSame(lived);
  });

  const requests = table.filter(({ name }) => !name.includes('outside'));

  it.each(requests)(
    'while step $step ($name) is under way, it goes on whether it was done or not',
    async ({ step }) => {
      const lived = await life([{ when: 'while', step }]);
      expect([steps.slice(step - 1), steps.slice(step)]).toContainEqual(lived.begun[1]);
      expectTheSame(lived);
    },
  );

  it('after every single step, it comes to the end all the same', async () => {
    const lived = await life(steps.map(() => ({ when: 'after', step: 1 })));
    expect(lived.begun).toEqual([...steps.map((step) => [step]), []]);
    expectTheSame(lived);
  });
});
