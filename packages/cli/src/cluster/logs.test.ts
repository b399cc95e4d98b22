import { describe, expect, it } from 'vitest';
import { findLog, logFiles } from './logs.ts';

const files = logFiles([
  'etcd.log',
  'kube-apiserver.log',
  'n1-kubelet.log',
  'n2-kubelet.log',
  'n1-kube-proxy.log',
  'n10-containerd.log',
  'notes.txt',
]);

describe('logFiles', () => {
  it('calls the programs of a node by its name', () => {
    expect([...files.keys()]).toEqual([
      'containerd@n10',
      'etcd',
      'kube-apiserver',
      'kube-proxy@n1',
      'kubelet@n1',
      'kubelet@n2',
    ]);
  });
});

describe('findLog', () => {
  it('finds the one on the node that is named', () => {
    expect(findLog('kubelet@n2', files, 2)).toBe('n2-kubelet.log');
  });

  it('needs no node where there is only one such program', () => {
    expect(findLog('kube-proxy', files, 2)).toBe('n1-kube-proxy.log');
  });

  it('does not take kube for the beginning of kube-proxy', () => {
    expect(() => findLog('kube', files, 2)).toThrow('"kube" is not part of this cluster');
  });

  it('asks which one is meant where there are several', () => {
    expect(() => findLog('kubelet', files, 2)).toThrow(
      expect.objectContaining({
        message: '"kubelet" runs on several nodes',
        remedy: 'choose one of kubelet@n1, kubelet@n2',
      }),
    );
  });

  it('lists what there is instead of what is unknown', () => {
    const few = logFiles(['etcd.log', 'kube-apiserver.log']);
    expect(() => findLog('kubelet', few, 0)).toThrow(
      expect.objectContaining({
        message: '"kubelet" is not part of this cluster, a control plane alone',
        remedy: 'choose one of etcd, kube-apiserver',
      }),
    );
  });
});
