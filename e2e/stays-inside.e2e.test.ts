/** Nothing that is sent inside a cluster, or to its addresses, may ever leave the machine. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { BUSYBOX_IMAGE, busyboxImage, type Cluster, createCluster } from '@kurator/testenv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inPod, kubectl } from './support/kubectl.ts';

const run = promisify(execFile);

/** Of a range that is reserved for documentation: nobody's address, anywhere. */
const elsewhere = '198.51.100.7';

let cluster: Cluster;
let network: string;
let device: string;
let node: { pid: number };

beforeAll(async () => {
  ({ cluster } = await createCluster({ name: 'e2e-inside', nodes: 1 }));
  await cluster.load((await busyboxImage()).path);
  await kubectl(cluster, ['run', 'sender', `--image=${BUSYBOX_IMAGE}`, '--command', '--', 'sleep', 'infinity']);
  await kubectl(cluster, ['wait', '--for=condition=Ready', 'pod/sender', '--timeout=180s']);
  const status = await cluster.status();
  network = status.network ?? '';
  device = status.device ?? '';
  node = { pid: status.components.find(({ name }) => name === 'kubelet')?.pid ?? 0 };
});

afterAll(async () => {
  await cluster?.down();
});

/** Counts packets that the host passes on, without touching them, while `work` runs. */
async function packetsCounted(rule: readonly string[], work: () => Promise<void>): Promise<number> {
  const comment = ['-m', 'comment', '--comment', 'kurator-stays-inside-test'];
  await run('iptables', ['-t', 'mangle', '-A', ...rule, ...comment]);
  try {
    await work();
    const { stdout } = await run('iptables', ['-t', 'mangle', '-L', rule[0] as string, '-v', '-x', '-n']);
    const line = stdout.split('\n').find((text) => text.includes('kurator-stays-inside-test'));
    return Number(line?.trim().split(/\s+/)[0]);
  } finally {
    await run('iptables', ['-t', 'mangle', '-D', ...rule, ...comment]);
  }
}

/** Each address of the range that nobody has: a pod's, a service's, a machine's. */
function strayAddresses(): string[] {
  const block = network.split('.').slice(0, 2).join('.');
  return [`${block}.66.77`, `${block}.31.200`, `${block}.0.250`, `${block}.200.1`];
}

async function sendFromHost(address: string): Promise<void> {
  await run('bash', ['-c', `echo stray > /dev/udp/${address}/9`]).catch(() => {});
}

describe('a cluster keeps its packets to itself', () => {
  it("does not let the host send to the cluster's unused addresses by any way but into the cluster", async () => {
    const escaped = await packetsCounted(['POSTROUTING', '!', '-o', device, '-d', network], async () => {
      for (const address of strayAddresses()) await sendFromHost(address);
    });
    expect(escaped).toBe(0);
  });

  it('sees the packets that it says do not escape', async () => {
    const seen = await packetsCounted(['OUTPUT', '-d', network], async () => {
      for (const address of strayAddresses()) await sendFromHost(address);
    });
    expect(seen).toBeGreaterThan(0);
  });

  it('has no way out of a node', async () => {
    await expect(run('nsenter', ['-t', String(node.pid), '-n', 'ip', 'route', 'get', elsewhere])).rejects.toThrow(
      /unreachable/,
    );
    const { stdout } = await run('nsenter', ['-t', String(node.pid), '-n', 'ip', 'route', 'show', 'default']);
    expect(stdout).toBe('');
  });

  it('lets nothing that a pod sends elsewhere reach the host', async () => {
    const forwarded = await packetsCounted(['PREROUTING', '-d', elsewhere], async () => {
      await inPod(cluster, 'sender', 'sh', '-c', `echo stray | nc -u -w 1 ${elsewhere} 9; true`);
      await inPod(cluster, 'sender', 'sh', '-c', `nc -w 1 ${elsewhere} 80 < /dev/null; true`);
    });
    expect(forwarded).toBe(0);
  });
});
