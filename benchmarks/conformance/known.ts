/**
 * Tests that are known to fail, and why. They are run all the same: one that passes has no business here.
 * What the cluster lacks belongs into packages/testenv, not here.
 */
export const known: Readonly<Record<string, string>> = {
  '[sig-node] ImageVolume should succeed with pod and pull policy of Always [LinuxOnly] [MinimumKubeletVersion:1.35] [Conformance]':
    "It pulls upstream's image from registry.k8s.io and looks for Alpine in it; and an image as a volume needs containerd 2.1, where Debian 12 has 1.6.",
};
