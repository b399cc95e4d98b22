/** The control plane alone: real etcd, real API server, real TLS, and no root. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { ConfigMap, createClient, loadKubeconfig, ServiceAccount } from '@kurator/client';
import { describe, expect, it, vi } from 'vitest';
import { createCluster } from '../src/cluster/create-cluster.ts';
import { silent } from '../src/reporter.ts';
import { sharedClient, testNamespace } from '../src/shared-control-plane.ts';

describe('the shared control plane', () => {
  it('stores objects, in a namespace that is this test’s own', async () => {
    await using client = await sharedClient();
    const namespace = await testNamespace(client);
    const metadata = { name: 'settings', namespace };
    await client.create(ConfigMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { colour: 'blue' } });
    expect((await client.get(ConfigMap, metadata)).data).toEqual({ colour: 'blue' });
  });

  it('lets nobody in without a certificate that its own authority signed', async () => {
    await using admin = await sharedClient();
    const { server, ca } = admin.config;
    await using stranger = createClient({ server, ...(ca ? { ca } : {}) });
    await expect(stranger.list(ConfigMap, { namespace: 'default' })).rejects.toMatchObject({ status: 403 });
    await using distrustful = createClient({ server });
    await expect(distrustful.raw('GET', '/readyz')).rejects.toThrow(/certificate/);
  });

  it('authorises by RBAC: a service account may do nothing until it is told', async () => {
    await using admin = await sharedClient();
    const namespace = await testNamespace(admin);
    await admin.create(ServiceAccount, {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: 'robot', namespace },
    });
    const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
    const path = `/api/v1/namespaces/${namespace}/serviceaccounts/robot/token`;
    const { status } = await admin.raw<{ status: { token: string } }>('POST', path, { body: request });
    const { server, ca } = admin.config;
    await using robot = createClient({ server, ...(ca ? { ca } : {}), token: status.token });
    const refusal = robot.list(ConfigMap, { namespace });
    await expect(refusal).rejects.toMatchObject({ status: 403 });
    await expect(refusal).rejects.toThrow(/system:serviceaccount:.*:robot/);
  });
});

describe('a control plane of its own', () => {
  it('writes an audit log when asked, and keeps its secrets to its owner', async () => {
    const { cluster } = await createCluster({ name: `audit-${process.pid}`, audit: true });
    try {
      await using client = await cluster.client();
      await client.list(ConfigMap, { namespace: 'default' });
      const audit = await readFile(join(cluster.folder, 'logs', 'audit.log'), 'utf8');
      expect(audit).toContain('"requestURI":"/api/v1/namespaces/default/configmaps"');
      expect((await stat(cluster.folder)).mode & 0o077).toBe(0);
      for (const file of await readdir(join(cluster.folder, 'pki'))) {
        expect((await stat(join(cluster.folder, 'pki', file))).mode & 0o077, file).toBe(0);
      }
    } finally {
      await cluster.down();
    }
  });

  it('says which port is taken, and leaves nothing', async () => {
    const squatter = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => squatter.once('listening', resolve));
    const { port } = squatter.address() as { port: number };
    const name = `port-${process.pid}`;
    try {
      await expect(createCluster({ name, port })).rejects.toMatchObject({
        code: 'KUR_TESTENV_PORT_TAKEN',
        message: `port ${port} on 127.0.0.1 is taken by another program`,
      });
    } finally {
      squatter.close();
    }
    const { cluster, created } = await createCluster({ name });
    expect(created).toBe(true);
    await cluster.down();
    await cluster.down();
  });

  it('is made anew over what a killed run left', async () => {
    const name = `killed-${process.pid}`;
    const first = await createCluster({ name });
    process.kill((await first.cluster.status()).supervisor.pid, 'SIGKILL');
    await vi.waitFor(
      () => expect(first.cluster.status()).rejects.toMatchObject({ code: 'KUR_TESTENV_NOT_RUNNING' }),
      10_000,
    );
    const said: string[] = [];
    const second = await createCluster({ name, reporter: { ...silent, info: (message) => said.push(message) } });
    expect(second.created).toBe(true);
    expect(said).toEqual([expect.stringContaining('Removing what a dead cluster left')]);
    await second.cluster.down();
  });

  it('is made once when two ask for it at once', async () => {
    const name = `once-${process.pid}`;
    const clusters = await Promise.all([createCluster({ name }), createCluster({ name })]);
    expect(clusters.filter(({ created }) => created)).toHaveLength(1);
    for (const { cluster } of clusters) expect((await cluster.status()).name).toBe(name);
    await clusters[0].cluster.down();
  });

  it('gives two clusters that start at once what is theirs', async () => {
    const made = await Promise.all([0, 1].map((i) => createCluster({ name: `pair-${process.pid}-${i}` })));
    try {
      const configs = await Promise.all(made.map(({ cluster }) => loadKubeconfig(cluster.kubeconfig)));
      expect(new Set(configs.map(({ server }) => server)).size).toBe(2);
      expect(new Set(configs.map(({ ca }) => ca)).size).toBe(2);
    } finally {
      await Promise.all(made.map(({ cluster }) => cluster.down()));
    }
  });
});
