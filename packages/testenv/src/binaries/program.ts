/** A program that a cluster is made of, by the name its project releases it under. */
export type Program =
  | 'etcd'
  | 'kube-apiserver'
  | 'kube-controller-manager'
  | 'kube-scheduler'
  | 'kubelet'
  | 'kube-proxy'
  | 'kubectl'
  | 'coredns'
  | RuntimeProgram
  | EtcdProgram;

/** What a release of etcd has in it: the server, the client, and what works on a data folder. */
export type EtcdProgram = (typeof etcdPrograms)[number];

/** What runs containers on a node, and gives them a network. */
export type RuntimeProgram = (typeof runtimePrograms)[number];

/** Where a set of programs lies, and which Kubernetes it is. */
export interface Binaries {
  /** The Kubernetes version without a `v`, such as `1.36.3`. */
  readonly version: string;
  /** Where the programs came from, in words for a person. */
  readonly source: string;
  /** The absolute path of a program; asking for one that was not requested is a mistake in the caller and throws. */
  path(program: Program): string;
}

export const etcdPrograms = ['etcd', 'etcdctl', 'etcdutl'] as const;

/** containerd's own programs: they belong to one version. */
export const containerdPrograms = ['containerd', 'containerd-shim-runc-v2', 'ctr'] as const;

/** The CNI plugins that pods' networks are made with: they have to lie in one folder. */
export const cniPlugins = ['ptp', 'host-local', 'portmap', 'loopback'] as const;

export const runtimePrograms = [...containerdPrograms, 'runc', ...cniPlugins] as const;

/** What the Kubernetes build makes at once, as names of one multi-call binary. */
export const kubernetesPrograms = [
  'etcd',
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kubelet',
  'kube-proxy',
  'kubectl',
] as const satisfies readonly Program[];
