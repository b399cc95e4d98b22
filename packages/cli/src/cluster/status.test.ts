import { expect, it } from 'vitest';
import { listText } from './list.ts';
import { statusText } from './status.ts';

it('shows the parts of a cluster, where they run and what they hold', () => {
  const text = statusText({
    name: 'three',
    version: '1.36.3',
    nodeVersion: '1.35.4',
    server: 'https://10.128.0.2:6443',
    network: '10.128.0.0/16',
    nodes: [{ name: 'n1', address: '10.128.0.11', pods: '10.128.65.0/24', on: false }],
    components: [
      { name: 'etcd', machine: 'cp', running: true, pid: 12, memory: 100 * 2 ** 20 },
      { name: 'kubelet', machine: 'n1', running: false },
    ],
    supervisor: { pid: 1, memory: 50 * 2 ** 20 },
  });
  expect(text).toBe(
    [
      'three: Kubernetes 1.36.3 (nodes 1.35.4) at https://10.128.0.2:6443, network 10.128.0.0/16',
      '',
      'NODE   POWER   ADDRESS       PODS',
      'n1     off     10.128.0.11   10.128.65.0/24',
      '',
      'COMPONENT    MACHINE   STATE     PID   MEMORY',
      'etcd         cp        running   12    100 MiB',
      'kubelet      n1        stopped',
      'supervisor             running   1     50 MiB',
    ].join('\n'),
  );
});

it('lists clusters with their age', () => {
  const cluster = {
    name: 'a',
    state: 'running',
    version: '1.36.3',
    nodes: 0,
    folder: '/f',
    kubeconfig: '/f/k',
  } as const;
  const created = '2026-01-01T00:00:00.000Z';
  const text = listText([{ ...cluster, createdAt: created }], Date.parse(created) + 300_000);
  expect(text).toBe('NAME   STATE     VERSION   NODES   AGE   FOLDER\na      running   1.36.3    0       5m    /f');
});
