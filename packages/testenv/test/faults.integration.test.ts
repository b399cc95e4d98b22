/** Faults of a control plane alone, which needs no root and has no machines. */
import { type Client, ConfigMap } from '@kurator/client';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Cluster } from '../src/cluster/cluster.ts';
import { testCluster } from '../src/cluster/create-cluster.ts';

let cluster: Cluster;
let client: Client;

beforeAll(async () => {
  cluster = await testCluster();
  client = await cluster.client();
});

afterAll(async () => {
  await client?.close();
  await cluster?.down();
});

const ask = (timeout = 5000) => client.list(ConfigMap, { namespace: 'default', timeout });

describe('a control plane alone', () => {
  it.each(['kube-apiserver', 'etcd'] as const)('loses its %s, and gets it back', async (component) => {
    await using fault = await cluster.faults.stop({ component, signal: 'SIGKILL' });
    await expect(ask(1000)).rejects.toThrow();
    expect(await cluster.faults.list()).toMatchObject([{ description: `stops ${component}` }]);
    await fault.heal();
    await vi.waitFor(() => ask(), { timeout: 20_000, interval: 100 });
  });

  it('has an API server that hangs, and goes on as if nothing had happened', async () => {
    await using fault = await cluster.faults.hang({ component: 'kube-apiserver' });
    await expect(ask(500)).rejects.toMatchObject({ code: 'KUR_CLIENT_TIMEOUT' });
    await fault.heal();
    await ask();
  });

  it('has nothing else that could fail, and says so', async () => {
    await expect(cluster.faults.stop({ component: 'kube-scheduler' })).rejects.toMatchObject({
      code: 'KUR_TESTENV_FAULT_TARGET',
      message: "the cluster's control plane has no kube-scheduler",
      remedy: 'it has etcd, kube-apiserver',
    });
    for (const attempt of [
      cluster.faults.freeze({ pod: 'web' }),
      cluster.faults.drop({ percent: 50, to: { node: 'n1' } }),
      cluster.faults.powerOff({ node: 'cp' }),
      cluster.faults.stop({ component: 'kubelet', node: 'n1' }),
    ]) {
      await expect(attempt).rejects.toThrow('this cluster is a control plane alone');
    }
  });

  it('goes down in the middle of a fault', async () => {
    await cluster.faults.hang({ component: 'etcd' });
    const { components } = await cluster.status();
    await cluster.down();
    for (const { pid } of components) expect(() => process.kill(pid ?? 0, 0)).toThrow('ESRCH');
  });
});
