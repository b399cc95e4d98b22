import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findChecksum, releaseOf } from './release-layout.ts';

const linux = { os: 'linux', arch: 'amd64' } as const;
const mac = { os: 'darwin', arch: 'arm64' } as const;

describe('releaseOf', () => {
  it.each([
    ['kube-apiserver', linux, 'https://dl.k8s.io/release/v1.36.3/bin/linux/amd64/kube-apiserver'],
    ['kubectl', mac, 'https://dl.k8s.io/release/v1.36.3/bin/darwin/arm64/kubectl'],
    ['etcd', linux, 'https://github.com/etcd-io/etcd/releases/download/v3.6.8/etcd-v3.6.8-linux-amd64.tar.gz'],
    ['etcd', mac, 'https://github.com/etcd-io/etcd/releases/download/v3.6.8/etcd-v3.6.8-darwin-arm64.zip'],
    ['coredns', linux, 'https://github.com/coredns/coredns/releases/download/v1.15.0/coredns_1.15.0_linux_amd64.tgz'],
    ['runc', linux, 'https://github.com/opencontainers/runc/releases/download/v1.5.2/runc.amd64'],
    [
      'containerd',
      { os: 'linux', arch: 'arm64' },
      'https://github.com/containerd/containerd/releases/download/v2.4.2/containerd-static-2.4.2-linux-arm64.tar.gz',
    ],
    [
      'ptp',
      linux,
      'https://github.com/containernetworking/plugins/releases/download/v1.9.1/cni-plugins-linux-amd64-v1.9.1.tgz',
    ],
  ] as const)('finds %s for %o', (program, platform, url) => {
    expect(releaseOf(program, '1.36.3', platform, {})?.url).toBe(url);
  });

  it('takes all that nodes need out of one archive', () => {
    expect(releaseOf('containerd', '1.36.3', linux, {})?.also).toEqual({
      'containerd-shim-runc-v2': 'bin/containerd-shim-runc-v2',
      ctr: 'bin/ctr',
    });
    expect(Object.keys(releaseOf('ptp', '1.36.3', linux, {})?.also ?? {})).toEqual([
      'host-local',
      'portmap',
      'loopback',
    ]);
  });

  it('knows that Kubernetes releases no API server for macOS', () => {
    expect(releaseOf('kube-apiserver', '1.36.3', mac, {})).toBeUndefined();
  });

  it('takes the etcd that belongs to the Kubernetes version', () => {
    expect(releaseOf('etcd', '1.35.4', linux, {})?.version).toBe('3.6.5');
  });

  it('goes to the mirror that the environment names', () => {
    const release = releaseOf('kubelet', '1.36.3', linux, { KURATOR_KUBERNETES_URL: 'http://mirror.example/k8s/' });
    expect(release?.checksumUrl).toBe('http://mirror.example/k8s/release/v1.36.3/bin/linux/amd64/kubelet.sha256');
  });
});

describe('findChecksum', () => {
  const sum = fc.stringMatching(/^[0-9a-f]{64}$/);

  it('reads a bare sum', () => {
    fc.assert(fc.property(sum, (text) => findChecksum(`${text}\n`, 'kubelet') === text));
  });

  it('finds the line of the file among others', () => {
    fc.assert(
      fc.property(sum, sum, (wanted, other) => {
        const text = `${other}  ./etcd-arm64.tar.gz\n${wanted} *./etcd-amd64.tar.gz\n`;
        expect(findChecksum(text, 'etcd-amd64.tar.gz')).toBe(wanted);
      }),
    );
  });

  it.each(['', '<html>Sign in to continue</html>', 'abc123'])('finds nothing in %j', (text) => {
    expect(findChecksum(text, 'kubelet')).toBeUndefined();
  });
});
