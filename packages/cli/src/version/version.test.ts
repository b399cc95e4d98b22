import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fakeSession } from '@kurator/command/testing';
import { expect, it, onTestFinished } from 'vitest';
import { runCommandLine } from '../program.ts';

async function version(...args: string[]) {
  const session = fakeSession();
  await runCommandLine(['version', ...args], session);
  return session.said;
}

/** A kubeconfig for a server that answers some paths. */
async function kubeconfigOf(answers: Readonly<Record<string, object>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'kurator-version-'));
  const server = createServer(({ url = '' }, response) => {
    const answer = answers[url.replace(/\?.*/, '')];
    const status = {
      kind: 'Status',
      apiVersion: 'v1',
      status: 'Failure',
      reason: 'Forbidden',
      code: 403,
      message: 'no',
    };
    response.writeHead(answer ? 200 : 403, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer ?? status));
  }).listen(0, '127.0.0.1');
  onTestFinished(async () => {
    server.close();
    await rm(folder, { recursive: true });
  });
  await new Promise((resolve) => server.once('listening', resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const file = join(folder, 'config');
  const config = {
    clusters: [{ name: 'a', cluster: { server: address } }],
    contexts: [{ name: 'a', context: { cluster: 'a' } }],
    'current-context': 'a',
  };
  await writeFile(file, JSON.stringify(config));
  return file;
}

const own = { version: expect.stringMatching(/^\d+\.\d+\.\d+/), node: process.versions.node };

const deployment = (name: string, manager: string) => ({
  metadata: {
    name,
    namespace: 'operators',
    labels: { 'app.kubernetes.io/version': '1.2.0' },
    managedFields: [{ manager }],
  },
  spec: { replicas: 2, template: { spec: { containers: [{ image: 'web-operator:1.2.0' }] } } },
  status: { readyReplicas: 1 },
});

it('is that of the command alone, if no cluster is to be asked', async () => {
  const { stdout, code } = await version('--client', '-o', 'json', '--kubeconfig', '/does/not/exist');
  expect(JSON.parse(stdout)).toEqual({ client: expect.objectContaining(own) });
  expect(code).toBe(0);
});

it('is that of the cluster too, and of what runs there', async () => {
  const items = [deployment('web-operator', 'kurator-deploy'), deployment('other', 'kubectl')];
  const kubeconfig = await kubeconfigOf({
    '/version': { gitVersion: 'v1.36.3' },
    '/apis/apps/v1/deployments': { apiVersion: 'apps/v1', kind: 'DeploymentList', metadata: {}, items },
  });
  const { stdout } = await version('--kubeconfig', kubeconfig, '-o', 'json');
  expect(JSON.parse(stdout)).toMatchObject({
    client: own,
    server: { kubernetes: 'v1.36.3' },
    operators: [
      { name: 'web-operator', namespace: 'operators', version: '1.2.0', image: 'web-operator:1.2.0', ready: '1/2' },
    ],
  });
  const text = await version('--kubeconfig', kubeconfig);
  expect(text.stdout).toMatch(
    /^kurator \d.*\nKubernetes v1\.36\.3 at http:.*\n\nOPERATOR .*\nweb-operator +operators +1\.2\.0 +1\/2/,
  );
});

it('is that of Kubernetes for who may not look for operators', async () => {
  const kubeconfig = await kubeconfigOf({ '/version': { gitVersion: 'v1.36.3' } });
  const { stdout, code } = await version('--kubeconfig', kubeconfig, '-o', 'yaml');
  expect(stdout).toMatch(/server:\n {2}kubernetes: v1\.36\.3/);
  expect(code).toBe(0);
});

it('is told where no cluster answers, which is no error', async () => {
  const { stdout, stderr, code } = await version('--kubeconfig', '/does/not/exist');
  expect(stdout).toMatch(/^kurator \d[^\n]*\n$/);
  expect(stderr).toMatch(/^No cluster answers: /);
  expect(code).toBe(0);
});
