/** What a node's programs are told. Pure, so that a test can look at it. */
import { stringify } from 'yaml';
import { PAUSE_IMAGE } from '../../images/pause-image.ts';

/** What nodes call the cluster's registry; containerd maps it to an address. */
export const clusterRegistryName = 'registry.kurator.local';

export interface NodeSettings {
  name: string;
  address: string;
  podRange: string;
  allPods: string;
  dnsService: string;
  /** Below every cgroup hierarchy's root. */
  cgroup: string;
  clientCa: string;
  servingCertificate: string;
  servingKey: string;
  kubeconfig: string;
  proxyKubeconfig: string;
  shim: string;
  runc: string;
  cniPlugins: string;
  cniFolder: string;
  registryFolder: string;
  resolvConf: string;
  /** Notice dead nodes within seconds, for tests of node failure. */
  fastFailureDetection: boolean;
}

export function containerdToml({ shim, runc, cniPlugins, cniFolder, registryFolder }: NodeSettings): string {
  const cri = 'plugins."io.containerd.grpc.v1.cri"';
  return `version = 2
root = "/var/lib/containerd"
state = "/run/containerd"

[grpc]
  address = "/run/containerd/containerd.sock"

[plugins."io.containerd.internal.v1.opt"]
  path = "/var/lib/containerd/opt"

[${cri}]
  sandbox_image = "${PAUSE_IMAGE}"
  # A profile would be the whole kernel's, and outlive the cluster.
  disable_apparmor = true
  # Without the right to lower it, runc can't start a sandbox that asks for a lower one.
  restrict_oom_score_adj = true

[${cri}.containerd]
  default_runtime_name = "runc"

[${cri}.containerd.runtimes.runc]
  runtime_type = "io.containerd.runc.v2"
  # The machine may have others of another version on its PATH.
  runtime_path = "${shim}"

[${cri}.containerd.runtimes.runc.options]
  SystemdCgroup = false
  BinaryName = "${runc}"

[${cri}.cni]
  bin_dir = "${cniPlugins}"
  conf_dir = "${cniFolder}"

[${cri}.registry]
  config_path = "${registryFolder}"
`;
}

/** A routed cable a pod: without a bridge there is nothing that could carry packets past the node's rules. */
export function cniConfiguration({ podRange }: NodeSettings): string {
  return JSON.stringify({
    cniVersion: '0.4.0',
    name: 'kurator',
    plugins: [
      { type: 'ptp', ipam: { type: 'host-local', ranges: [[{ subnet: podRange }]], routes: [{ dst: '0.0.0.0/0' }] } },
      { type: 'portmap', capabilities: { portMappings: true } },
    ],
  });
}

export function kubeletConfiguration(settings: NodeSettings): string {
  return stringify({
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: true },
      x509: { clientCAFile: settings.clientCa },
    },
    authorization: { mode: 'Webhook' },
    tlsCertFile: settings.servingCertificate,
    tlsPrivateKeyFile: settings.servingKey,
    clusterDNS: [settings.dnsService],
    clusterDomain: 'cluster.local',
    resolvConf: settings.resolvConf,
    containerRuntimeEndpoint: 'unix:///run/containerd/containerd.sock',
    cgroupDriver: 'cgroupfs',
    cgroupRoot: `/${settings.cgroup}`,
    failCgroupV1: false,
    // By default below /usr, which is the host's.
    volumePluginDir: '/var/lib/kubelet/volume-plugins',
    enforceNodeAllocatable: [],
    failSwapOn: false,
    // A test machine's disk is often nearly full; that must not drive pods away.
    evictionHard: {
      'memory.available': '100Mi',
      'nodefs.available': '1%',
      'imagefs.available': '1%',
      'nodefs.inodesFree': '1%',
    },
    imageGCHighThresholdPercent: 100,
    imageGCLowThresholdPercent: 99,
    ...(settings.fastFailureDetection ? { nodeStatusUpdateFrequency: '2s', nodeLeaseDurationSeconds: 4 } : {}),
  });
}

export function proxyConfiguration(settings: NodeSettings): string {
  return stringify({
    apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
    kind: 'KubeProxyConfiguration',
    mode: 'iptables',
    clientConnection: { kubeconfig: settings.proxyKubeconfig },
    hostnameOverride: settings.name,
    clusterCIDR: settings.allPods,
    oomScoreAdj: 0,
    // These belong to the whole kernel, not to a network namespace.
    conntrack: { maxPerCore: 0, min: 0, tcpCloseWaitTimeout: '0s', tcpEstablishedTimeout: '0s' },
    iptables: { minSyncPeriod: '100ms' },
  });
}
