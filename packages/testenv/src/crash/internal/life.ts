/** A scenario from its beginning to its end, in a namespace of its own, with an operator that may be killed once. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Client, isNotFound, Namespace } from '@kurator/client';
import { messageOf, TestenvError } from '../../error.ts';
import { formatDuration } from '../../faults/requests/duration.ts';
import { testNamespace } from '../../shared-control-plane.ts';
import { differences, type EndState, endState, type Normalise } from './end-state.ts';
import { type Gate, openGate } from './gate.ts';
import type { Ending, OperatorProcess, OperatorProgram, startOperator } from './operator-process.ts';
import type { Plan } from './plan.ts';
import type { ResourcePath } from './write.ts';

/** Where a scenario takes place. */
export interface CrashWorld {
  /** Administrator; its requests don't go through the operator's connection. */
  readonly client: Client;
  /** One that nobody else has; the operator works in this one alone. */
  readonly namespace: string;
  /** Fires when the time is up, or when the operator has ended by itself. */
  readonly signal: AbortSignal;
  /** Done once the end has been looked at, the last first: for what must live until then. */
  onEnd(cleanUp: () => unknown): void;
}

/** All that is the same in each run. */
export interface Stage {
  readonly client: Client;
  readonly operator: OperatorProgram;
  readonly run: (world: CrashWorld) => Promise<unknown>;
  readonly always: ((world: CrashWorld) => unknown) | undefined;
  readonly normalise: Normalise | undefined;
  readonly leavesOut: readonly string[];
  /** Milliseconds. */
  readonly timeout: number;
  readonly quiet: number;
  readonly settling: number;
  /** Whether the namespaces are deleted in the end; not where they go with the control plane. */
  readonly deletesNamespaces: boolean;
  /** Where files for the processes are put. */
  readonly folder: string;
  readonly start: typeof startOperator;
}

/** How it went. */
export interface Life {
  readonly writes: readonly string[];
  readonly resources: ReadonlyMap<string, ResourcePath>;
  readonly state: EndState;
  /** Milliseconds from the first watch to the first write. */
  readonly untilFirstWrite: number;
  /** How the process ended that was to be killed; undefined if the plan's write never came. */
  readonly death: Ending | undefined;
}

/**
 * @param plan Where the operator is killed; never unless given.
 * @param expected Where it should end: it is waited for.
 */
export async function live(stage: Stage, plan?: Plan, expected?: Life): Promise<Life> {
  const { client, operator, folder, always } = stage;
  const namespace = await testNamespace(client, 'crash');
  const kubeconfig = join(folder, `${namespace}.json`);
  const over = new AbortController();
  const cleanUps: (() => unknown)[] = [];
  const onEnd = (cleanUp: () => unknown) => void cleanUps.push(cleanUp);
  const world: CrashWorld = { client, namespace, signal: over.signal, onEnd };
  const trouble = Promise.withResolvers<never>();
  trouble.promise.catch(() => {});
  const fail = (error: unknown) => {
    trouble.reject(error);
    over.abort(error);
  };
  let current: OperatorProcess | undefined;
  let death: Ending | undefined;

  const begin = () => {
    const started = stage.start(operator, kubeconfig, namespace);
    current = started;
    const endedAlone = ({ code, signal }: Ending) => {
      if (current === started && !over.signal.aborted) fail(endedByItself(signal ?? `exit code ${code}`, started));
    };
    started.ended.then(endedAlone, fail);
  };
  const onPoint = async () => {
    const dying = current;
    current = undefined;
    death = await dying?.kill();
    gate.cut();
    await releaseLeases(client, gate);
    if (!over.signal.aborted) begin();
  };
  const gate = await openGate({
    config: client.config,
    namespace,
    leavesOut: stage.leavesOut,
    plan,
    onPoint: () => onPoint().catch(fail),
    async afterWrite(write) {
      try {
        await always?.(world);
      } catch (cause) {
        fail(new TestenvError('KUR_TESTENV_CRASH', `after ${write}: ${messageOf(cause)}`, { cause }));
      }
    },
  });
  const timeUp = () => fail(new TestenvError('KUR_TESTENV_TIMEOUT', `no end within ${formatDuration(stage.timeout)}`));
  const timer = setTimeout(timeUp, stage.timeout);

  const play = async () => {
    await writeFile(kubeconfig, kubeconfigOf(gate.url, namespace), { mode: 0o600 });
    begin();
    await quietFor(gate, 0, world.signal);
    await stage.run(world);
    const playedAt = performance.now();
    // Starting again may take its time, on a busy machine, and is not what is waited for here.
    const deadline = () => Math.max(playedAt, gate.upSince ?? Number.POSITIVE_INFINITY) + stage.settling;
    // Whoever was started again has as long for its first write as one whom nobody disturbed.
    const earliest = () => (gate.upSince ?? Number.POSITIVE_INFINITY) + (expected?.untilFirstWrite ?? 0);
    for (;;) {
      await quietFor(gate, stage.quiet, world.signal, { deadline, earliest });
      await always?.(world);
      const resources = new Map([...(expected?.resources ?? []), ...gate.resources]);
      for (const name of stage.leavesOut) resources.delete(name);
      const state = await endState(client, namespace, resources.values(), stage.normalise);
      const isThere = !expected || differences(state, expected.state).length === 0;
      const { writes, untilFirstWrite } = gate;
      if (isThere || performance.now() > deadline()) return { writes, untilFirstWrite, resources, state, death };
      await delay(50);
    }
  };
  try {
    return await Promise.race([play(), trouble.promise]);
  } finally {
    clearTimeout(timer);
    over.abort();
    await current?.kill();
    await gate.close();
    for (const cleanUp of cleanUps.reverse()) await cleanUp();
    if (stage.deletesNamespaces) await client.delete(Namespace, { name: namespace }).catch(unlessGone);
  }
}

/** By `performance.now()`, as of when they are asked. */
interface Limits {
  /** When it is not waited any longer. */
  readonly deadline: () => number;
  /** Before when it does not end. */
  readonly earliest: () => number;
}

/** Waits until nothing was asked for so long, by an operator that watches; or until there is no time left. */
async function quietFor(
  gate: Gate,
  milliseconds: number,
  signal: AbortSignal,
  { deadline, earliest }: Limits = { deadline: () => Number.POSITIVE_INFINITY, earliest: () => 0 },
): Promise<void> {
  while (performance.now() < deadline()) {
    signal.throwIfAborted();
    const since = gate.quietSince();
    const left = since === undefined ? 20 : Math.max(since + milliseconds, earliest()) - performance.now();
    if (left <= 0) return;
    await delay(Math.min(left, 50));
  }
}

/** As if the time had passed after which a leader is believed to be dead: nobody is to wait for it in each run. */
async function releaseLeases(client: Client, { leases }: Gate): Promise<void> {
  for (const path of leases) await client.raw('DELETE', path).catch(unlessGone);
}

function unlessGone(error: unknown): void {
  if (!isNotFound(error)) throw error;
}

function kubeconfigOf(server: string, namespace: string): string {
  const name = 'crash';
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': name,
    clusters: [{ name, cluster: { server } }],
    users: [{ name, user: {} }],
    contexts: [{ name, context: { cluster: name, user: name, namespace } }],
  });
}

function endedByItself(how: string, process: OperatorProcess): TestenvError {
  const words = process.lastWords();
  return new TestenvError('KUR_TESTENV_CRASH', `it ended by itself (${how})${words ? `:\n${words}` : ''}`);
}
