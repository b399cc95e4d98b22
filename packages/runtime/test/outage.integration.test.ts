/**
 * A whole operator whose API server goes away, or loses its etcd, and comes back. Meanwhile it says that it is not
 * ready, does nothing, and hardly asks; afterwards it goes on by itself, without being restarted. On a control plane of
 * its own, so that nobody else is hurt.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Client, ConfigMap, isAlreadyExists, Namespace, waitFor } from '@kurator/client';
import { type Cluster, createCluster, eventually, testNamespace } from '@kurator/testenv';
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { Echo, installEcho } from './support/echo.ts';
import { isReady } from './support/echo-operator.ts';
import { type EchoProgram, startEchoProgram } from './support/echo-program.ts';

const A_LONG_WHILE = 120_000;

let cluster: Cluster;
let client: Client;
let namespace: string;
let operator: EchoProgram;

beforeAll(async () => {
  ({ cluster } = await createCluster({ name: `outage-${process.pid}` }));
  client = await cluster.client();
  await installEcho(client);
});

afterAll(async () => {
  await client?.close();
  await cluster?.down();
});

beforeEach(async () => {
  namespace = await testNamespace(client, 'outage');
  const folder = await mkdtemp(join(tmpdir(), 'outside-'));
  const end = new AbortController();
  operator = startEchoProgram({ namespace, folder }, end.signal, cluster.kubeconfig);
  onTestFinished(async () => {
    end.abort();
    await operator.ended;
    await rm(folder, { recursive: true });
    await cluster.faults.healAll();
  });
  await eventually(async () => expect((await operator.ask('/readyz')).status).toBe(200));
});

const create = async (name: string) => {
  await client.create(Echo, { metadata: { name, namespace }, spec: { message: 'hello' } });
};
const untilReady = (name: string) => waitFor(client, Echo, { name, namespace }, isReady, { timeout: A_LONG_WHILE });
const messageOf = async (name: string) => (await client.get(ConfigMap, { name, namespace })).data?.message;
const serverAnswers = () =>
  eventually(() => client.get(Namespace, { name: 'default' }, { timeout: 2_000 }), { timeout: A_LONG_WHILE });

/** Sums up a metric of the operator over all its labels. */
async function metric(name: string): Promise<number> {
  const { text } = await operator.ask('/metrics');
  const values = text.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
  expect(values).not.toEqual([]);
  return values.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

/** Waits until it says why it is not ready; and it must not ask to be restarted for that. */
async function saysWhy(reason: RegExp): Promise<void> {
  await eventually(async () => {
    const { status, text } = await operator.ask('/readyz');
    const { checks } = JSON.parse(text);
    expect(status).toBe(503);
    expect(checks).toContainEqual({ name: 'api-server', ok: false, reason: expect.stringMatching(reason) });
  });
  expect((await operator.ask('/healthz')).status).toBe(200);
}

/** That the operator neither asks nor computes much for so long. */
async function liesLow(seconds: number): Promise<void> {
  const [requests, cpu] = [await metric('rest_client_requests_total'), await metric('process_cpu_seconds_total')];
  await delay(seconds * 1000);
  // Two watches that begin anew after ever longer pauses; a busy loop would be thousands.
  expect((await metric('rest_client_requests_total')) - requests).toBeLessThan(10 + seconds);
  expect((await metric('process_cpu_seconds_total')) - cpu).toBeLessThan(seconds / 2);
}

async function isReadyAgain(): Promise<void> {
  await eventually(async () => expect(await operator.ask('/readyz')).toMatchObject({ status: 200 }), {
    timeout: A_LONG_WHILE,
  });
  expect(operator.child.exitCode).toBeNull();
}

it.each([
  ['SIGKILL', 10],
  ['SIGTERM', 2],
] as const)('outlives an API server that ends by %s and comes back', { timeout: 300_000 }, async (signal, seconds) => {
  for (const name of ['a', 'b', 'c']) await create(name);
  for (const name of ['a', 'b', 'c']) await untilReady(name);

  await using fault = await cluster.faults.stop({ component: 'kube-apiserver', signal });
  await saysWhy(/no connection to https:.*ECONNREFUSED/);
  expect(operator.messages()).toContain('a watch was broken off: it begins again');
  const done = operator.steps();
  await liesLow(seconds);
  expect(operator.steps()).toEqual(done);
  await fault.heal();
  await serverAnswers();

  // What happens before the operator listens again must not be lost to it.
  await client.patch(Echo, { name: 'a', namespace }, { spec: { message: 'bye' } });
  await client.delete(ConfigMap, { name: 'b', namespace });
  await client.delete(Echo, { name: 'c', namespace });
  await create('d');
  await untilReady('d');
  await untilReady('a');
  expect(await messageOf('a')).toBe('bye');
  await eventually(async () => expect(await messageOf('b')).toBe('hello'));
  await eventually(async () => expect(await client.find(Echo, { name: 'c', namespace })).toBeUndefined());
  await isReadyAgain();
});

it('outlives an etcd that is stopped for 30 s, in the middle of its work', { timeout: 300_000 }, async () => {
  const names = Array.from({ length: 20 }, (_, i) => `e${i}`);
  const creating = names.map((name) => create(name).catch((error) => error));
  await untilReady('e0');

  const stoppedAt = performance.now();
  await using fault = await cluster.faults.hang({ component: 'etcd' });
  await saysWhy(/did not finish|etcd/);
  await liesLow(10);
  await delay(30_000 - (performance.now() - stoppedAt));
  await fault.heal();
  await serverAnswers();

  await Promise.all(creating);
  // Those whose answer was lost may be there or not.
  for (const name of names) await create(name).catch((error) => expect(error).toSatisfy(isAlreadyExists));
  for (const name of names) await untilReady(name);
  for (const name of names) expect(await messageOf(name)).toBe('hello');
  await isReadyAgain();
});
