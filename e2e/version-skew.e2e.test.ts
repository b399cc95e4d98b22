/** Two Kubernetes versions side by side: an older node under a newer control plane, as during any upgrade. */
import { BUSYBOX_IMAGE, busyboxImage, type Cluster, createCluster } from '@kurator/testenv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kubectl } from './support/kubectl.ts';

let cluster: Cluster;

// The first time, the older version may have to be built.
beforeAll(async () => {
  ({ cluster } = await createCluster({ name: 'e2e-skew', nodes: 1, version: '1.36', nodeVersion: '1.35' }));
  await cluster.load((await busyboxImage()).path);
}, 1_800_000);

afterAll(async () => {
  await cluster?.down();
});

describe('an older node under a newer control plane', () => {
  it('runs pods', async () => {
    const versions = JSON.parse(await kubectl(cluster, ['version', '-o', 'json']));
    expect(versions.serverVersion).toMatchObject({ major: '1', minor: '36' });
    const kubelet = await kubectl(cluster, ['get', 'node', 'n1', '-o', 'jsonpath={.status.nodeInfo.kubeletVersion}']);
    expect(kubelet).toMatch(/^v1\.35\.\d+$/);
    await kubectl(cluster, ['run', 'hello', `--image=${BUSYBOX_IMAGE}`, '--restart=Never', '--', 'echo', 'hello']);
    await kubectl(cluster, ['wait', '--for=jsonpath={.status.phase}=Succeeded', 'pod/hello', '--timeout=60s']);
    expect(await kubectl(cluster, ['logs', 'hello'])).toBe('hello\n');
  });
});
