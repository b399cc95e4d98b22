import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { stringify } from 'yaml';
import { loadConfig } from './load-config.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'load-config-'));
  vi.stubEnv('HOME', folder);
  vi.stubEnv('KUBECONFIG', '');
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true });
});

async function kubeconfigAt(path: string, host: string): Promise<string> {
  const file = join(folder, path);
  await mkdir(join(file, '..'), { recursive: true });
  const clusters = [{ name: 'c', cluster: { server: `https://${host}` } }];
  const contexts = [{ name: 'x', context: { cluster: 'c' } }];
  await writeFile(file, stringify({ clusters, contexts, 'current-context': 'x' }));
  return file;
}

async function serviceAccount() {
  const where = join(folder, 'serviceaccount');
  await mkdir(where);
  for (const [name, text] of Object.entries({ token: 'TOKEN', 'ca.crt': 'CA', namespace: 'team\n' })) {
    await writeFile(join(where, name), text);
  }
  return { folder: where, env: { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '6443' } };
}

it('takes what was asked for, else $KUBECONFIG, else the file at home, else the pod', async () => {
  const inCluster = await serviceAccount();
  const server = async (kubeconfig?: string) => (await loadConfig({ kubeconfig, inCluster })).server;
  expect(await server()).toBe('https://[fd00::1]:6443');
  await kubeconfigAt('.kube/config', 'home');
  expect(await server()).toBe('https://home');
  vi.stubEnv('KUBECONFIG', await kubeconfigAt('variable', 'variable'));
  expect(await server()).toBe('https://variable');
  expect(await server(await kubeconfigAt('asked', 'asked'))).toBe('https://asked');
});

it('is the service account of the pod, with files that are read again', async () => {
  const inCluster = await serviceAccount();
  expect(await loadConfig({ inCluster })).toEqual({
    server: 'https://[fd00::1]:6443',
    ca: 'CA',
    caFile: join(inCluster.folder, 'ca.crt'),
    tokenFile: join(inCluster.folder, 'token'),
    namespace: 'team',
  });
});

it('says what it has tried', async () => {
  await expect(loadConfig({ inCluster: { env: {} } })).rejects.toMatchObject({
    code: 'KUR_CLIENT_KUBECONFIG',
    message: `no API server is configured: $KUBECONFIG is not set, ${join(folder, '.kube', 'config')} does not exist, and this process does not run in a pod: KUBERNETES_SERVICE_HOST is not set`,
  });
});

it('does not look further when what was named is missing', async () => {
  await kubeconfigAt('.kube/config', 'home');
  vi.stubEnv('KUBECONFIG', join(folder, 'nowhere'));
  await expect(loadConfig()).rejects.toThrow(/nowhere can't be read/);
});

it('says what is missing in a pod without a service account', async () => {
  const inCluster = { folder, env: { KUBERNETES_SERVICE_HOST: '10.0.0.1' } };
  await expect(loadConfig({ inCluster })).rejects.toThrow(/automountServiceAccountToken/);
});
