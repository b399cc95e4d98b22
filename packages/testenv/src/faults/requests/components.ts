/** Faults of the cluster's own programs and machines. */
import type { FaultBase, FaultKind } from './fault-kind.ts';
import { type Field, oneOf, optional, required, text } from './field.ts';

/** Programs of which each node has one. */
export const nodeComponents = ['kubelet', 'containerd', 'kube-proxy'] as const;

/** Programs of which the cluster has one. */
export const planeComponents = [
  'etcd',
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'coredns',
] as const;

/** Ways to end a program. */
const endingSignals = ['SIGTERM', 'SIGINT', 'SIGQUIT', 'SIGKILL'] as const;

/** A program of which each node has one. */
export type NodeComponent = (typeof nodeComponents)[number];
/** A program of which the cluster has one. */
export type PlaneComponent = (typeof planeComponents)[number];

interface ComponentTarget {
  component: NodeComponent | PlaneComponent;
  /** The node whose kubelet, containerd or kube-proxy is meant; nothing for the control plane's programs. */
  node?: string;
}

/** Stops a program of the cluster; healing starts it again, and does not wait until it is ready. */
export interface StopRequest extends FaultBase, ComponentTarget {
  kind: 'stop';
  /** How it is told; it is killed if it takes longer than 5 s. Default: `SIGTERM`. */
  signal?: (typeof endingSignals)[number];
}

/** Freezes a program of the cluster (SIGSTOP): its connections stay open, and nobody answers. */
export interface HangRequest extends FaultBase, ComponentTarget {
  kind: 'hang';
}

/** Cuts a machine's power: every process on it dies at once, its disk stays. Healing switches it on again. */
export interface PowerOffRequest extends FaultBase {
  kind: 'power-off';
  /** A node, or `cp` for the control plane's machine. */
  node: string;
}

const componentFields: Readonly<Record<keyof ComponentTarget, Field>> = {
  component: required("one of the cluster's programs", oneOf([...nodeComponents, ...planeComponents])),
  node: optional('whose kubelet, containerd or kube-proxy', text),
};

/** The kinds of faults of the cluster's own programs and machines. */
export const componentKinds = {
  stop: {
    summary: 'stops a kubelet, containerd, kube-proxy or a program of the control plane',
    fields: { ...componentFields, signal: optional('a signal, if not SIGTERM', oneOf(endingSignals)) },
    check: checkComponent,
    describe: (request) => `stops ${whichComponent(request)}`,
  } satisfies FaultKind<StopRequest>,
  hang: {
    summary: 'freezes a kubelet, containerd, kube-proxy or a program of the control plane',
    fields: componentFields,
    check: checkComponent,
    describe: (request) => `freezes ${whichComponent(request)}`,
  } satisfies FaultKind<HangRequest>,
  'power-off': {
    summary: "cuts a machine's power",
    fields: { node: required('the name of a machine', text) },
    describe: ({ node }) => `powers ${node} off`,
  } satisfies FaultKind<PowerOffRequest>,
};

function checkComponent({ kind, component, node }: StopRequest | HangRequest): string | undefined {
  const onNode = (nodeComponents as readonly string[]).includes(component);
  if (onNode && node === undefined) return `${kind}.node is missing: each node has a ${component}, so give one`;
  if (!onNode && node !== undefined)
    return `${kind}.node is "${node}": leave it out, the cluster has only one ${component}`;
  return undefined;
}

function whichComponent({ component, node }: ComponentTarget): string {
  return node === undefined ? component : `${component} on ${node}`;
}
