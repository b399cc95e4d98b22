/** Two Kubernetes versions side by side: an older node under a newer control plane, as during any upgrade. */
import { readdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { BUSYBOX_IMAGE, busyboxImage, type Cluster, createCluster } from '@kurator/testenv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kubectl } from './support/kubectl.ts';

const binaries = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'kurator', 'binaries');
const isFetched = (await readdir(binaries).catch(() => [])).some((name) => name.startsWith('kubernetes-1.35'));

// It takes minutes to build: CI brings it, and `kurator cluster fetch --nodes 1.35` does where it is asked for.
describe.runIf(isFetched)('an older node under a newer control plane', () => {
  let cluster: Cluster;

  beforeAll(async () => {
    ({ cluster } = await createCluster({ name: 'e2e-skew', nodes: 1, version: '1.36', nodeVersion: '1.35' }));
    await cluster.load((await busyboxImage()).path);
  });

  afterAll(async () => {
    await cluster?.down();
  });

  it('runs pods', async () => {
    const versions = JSON.parse(await kubectl(cluster, ['version', '-o', 'json']));
    expect(versions.serverVersion).toMatchObject({ major: '1', minor: '36' });
    const kubelet = await kubectl(cluster, ['get', 'node', 'n1', '-o', 'jsonpath={.status.nodeInfo.kubeletVersion}']);
    expect(kubelet).toMatch(/^v1\.35\.\d+$/);
    await kubectl(cluster, ['run', 'hello', `--image=${BUSYBOX_IMAGE}`, '--restart=Never', '--', 'echo', 'hello']);
    await kubectl(cluster, ['wait', '--for=jsonpath={.status.phase}=Succeeded', 'pod/hello', '--timeout=180s']);
    expect(await kubectl(cluster, ['logs', 'hello'])).toBe('hello\n');
  });
});
