/** Images that nobody loaded: an ordinary Deployment whose image is in a registry on this machine, as with kind or docker. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import {
  busyboxImage,
  type Cluster,
  createCluster,
  eventually,
  type LocalRegistry,
  localRegistry,
  pushImage,
} from '@kurator/testenv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inPod, kubectl, patiently } from './support/kubectl.ts';

let cluster: Cluster;
let registry: LocalRegistry;

beforeAll(async () => {
  registry = await localRegistry();
  await pushImage(await busyboxImage(), `http://${registry.host}`, 'demo/web:v1');
  ({ cluster } = await createCluster({ name: 'e2e-pulling', nodes: 2, closed: false }));
});

afterAll(async () => {
  await cluster?.down();
  await registry?.[Symbol.asyncDispose]();
});

async function waitingMessage(pod: string): Promise<string> {
  const path = '{.status.containerStatuses[0].state.waiting.message}';
  return await kubectl(cluster, ['get', 'pod', pod, '-o', `jsonpath=${path}`]);
}

describe('a cluster that is not closed', () => {
  it('pulls the image of an ordinary Deployment from a registry on this machine, on every node', async () => {
    const image = `--image=${registry.host}/demo/web:v1`;
    await kubectl(cluster, ['create', 'deployment', 'web', image, '--replicas=4', '--', 'sleep', 'infinity']);
    await kubectl(cluster, ['rollout', 'status', 'deployment/web', '--timeout=60s']);
    const nodes = await kubectl(cluster, ['get', 'pods', '-l', 'app=web', '-o', 'jsonpath={.items[*].spec.nodeName}']);
    expect(new Set(nodes.split(' '))).toEqual(new Set(['n1', 'n2']));
  });

  it('tells the pod why an image could not be had: by whom, and from where', async () => {
    await kubectl(cluster, ['run', 'nowhere', '--image=registry.invalid/demo/web:v1']);
    await kubectl(cluster, ['run', 'missing', `--image=${registry.host}/demo/nothing:v1`]);
    await eventually(async () => {
      expect(await waitingMessage('nowhere')).toMatch(
        /The registry registry\.invalid can't be reached .* from the machine this cluster runs on/,
      );
      expect(await waitingMessage('missing')).toMatch(/not found/);
    }, patiently);
  });

  it('still has no way out of a node, and gives pods nothing of what it pulls with', async () => {
    const { host, components } = await cluster.status();
    const kubelet = components.find(({ name }) => name === 'kubelet')?.pid ?? 0;
    const inNode = async (...command: string[]) => {
      const child = spawn('nsenter', ['-t', String(kubelet), '-n', ...command]);
      const [output] = await Promise.all([child.stdout.toArray(), once(child, 'close')]);
      return output.join('');
    };
    expect(await inNode('ip', 'route', 'show', 'default')).toBe('');
    const sockets = await kubectl(cluster, [
      'get',
      'pods',
      '-l',
      'app=web',
      '-o',
      'jsonpath={.items[0].metadata.name}',
    ]);
    const port = /server = "http:\/\/[\d.]+:(\d+)"/.exec(
      await inNode('cat', join(cluster.folder, 'n1/registries/_default/hosts.toml')),
    )?.[1];
    const url = `http://${host}:${port}/v2/demo/web/manifests/v1?ns=${registry.host}`;
    await expect(inPod(cluster, sockets, 'wget', '-qO-', url)).rejects.toThrow(/403/);
  });
});
