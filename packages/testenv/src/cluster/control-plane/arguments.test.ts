import { describe, expect, it } from 'vitest';
import {
  apiServerArguments,
  type ControlPlaneSettings,
  controllerManagerArguments,
  etcdArguments,
  schedulerArguments,
} from './arguments.ts';
import type { Pki } from './pki.ts';

const settings: ControlPlaneSettings = {
  pki: { file: (name: string) => `/pki/${name}` } as Pki,
  etcdFolder: '/cluster/etcd',
  bindAddress: '127.0.0.1',
  port: 6443,
  serviceRange: '10.96.0.0/16',
};

describe('the command lines of a control plane', () => {
  it('give etcd no port at all', () => {
    const listening = etcdArguments(settings).filter((flag) => flag.includes('listen'));
    expect(listening).toEqual([
      '--listen-client-urls=unix:///cluster/etcd/etcd.sock',
      '--listen-peer-urls=unix:///cluster/etcd/peer.sock',
    ]);
  });

  it('authorise nodes and roles, and nobody else', () => {
    const flags = apiServerArguments(settings);
    expect(flags).toContain('--authorization-mode=Node,RBAC');
    expect(flags).toContain('--client-ca-file=/pki/ca.crt');
    expect(flags.join(' ')).not.toMatch(/anonymous-auth=true|AlwaysAllow|insecure/);
  });

  it('advertise an address only where there are nodes to use it', () => {
    expect(apiServerArguments(settings)).toContain('--endpoint-reconciler-type=none');
    expect(apiServerArguments({ ...settings, advertiseAddress: '10.128.0.2' })).toContain(
      '--advertise-address=10.128.0.2',
    );
  });

  it("put the user's own flags last, where they win", () => {
    const flags = apiServerArguments({ ...settings, extraApiServerArguments: ['--v=4'] });
    expect(flags.at(-1)).toBe('--v=4');
  });

  it('let controllers and scheduler ask as often as they like', () => {
    for (const flags of [controllerManagerArguments(settings, '/k'), schedulerArguments('/k')])
      expect(flags).toEqual(expect.arrayContaining(['--kube-api-qps=500', '--kube-api-burst=1000']));
  });

  it("leave Kubernetes' patience with silent nodes alone unless told", () => {
    expect(controllerManagerArguments(settings, '/k').join(' ')).not.toContain('grace-period');
    expect(controllerManagerArguments({ ...settings, nodeGracePeriod: '6s' }, '/k')).toContain(
      '--node-monitor-grace-period=6s',
    );
  });
});
