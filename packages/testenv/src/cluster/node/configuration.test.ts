import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { containerdToml, kubeletConfiguration, type NodeSettings } from './configuration.ts';

const settings = { name: 'n1', cgroup: 'kurator/three-00000000/n1', cniFolder: '/n1/cni' } as NodeSettings;

describe("a node's programs", () => {
  it("load no AppArmor profile, which would be the whole kernel's and outlive the cluster", () => {
    expect(containerdToml(settings)).toMatch(/^ {2}disable_apparmor = true$/m);
  });

  it("keep their files in what is the machine's own", () => {
    expect(parse(kubeletConfiguration(settings))).toMatchObject({
      volumePluginDir: expect.stringMatching(/^\/var\/lib\/kubelet\//),
    });
  });
});
