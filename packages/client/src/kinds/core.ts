/** The kinds of `v1` that are used so far, with the fields that are used so far; optional where the API's own schema says so. */
import type { Condition, KubernetesObject } from '../object.ts';
import { resourceType } from '../resource-type.ts';

/** A room for names. */
export interface Namespace extends KubernetesObject {
  spec?: { finalizers?: string[] };
  status?: { phase?: 'Active' | 'Terminating'; conditions?: Condition[] };
}
export const Namespace = resourceType<Namespace>('v1', 'Namespace', { namespaced: false });

/** A machine that runs pods. */
export interface Node extends KubernetesObject {
  spec?: NodeSpec;
  status?: NodeStatus;
}
export const Node = resourceType<Node>('v1', 'Node', { namespaced: false });

/** What is wanted of a node. */
export interface NodeSpec {
  podCIDR?: string;
  podCIDRs?: string[];
  providerID?: string;
  unschedulable?: boolean;
  taints?: Taint[];
}

/** Keeps pods away that do not tolerate it. */
export interface Taint {
  key: string;
  effect: string;
  value?: string;
  timeAdded?: string;
}

/** What a node says of itself. */
export interface NodeStatus {
  addresses?: { type: string; address: string }[];
  allocatable?: Record<string, string>;
  capacity?: Record<string, string>;
  conditions?: Condition[];
  nodeInfo?: { kubeletVersion: string; containerRuntimeVersion: string; kernelVersion: string; osImage: string };
  images?: { names?: string[]; sizeBytes?: number }[];
}

/** Containers that run together on one node. */
export interface Pod extends KubernetesObject {
  spec?: PodSpec;
  status?: PodStatus;
}
export const Pod = resourceType<Pod>('v1', 'Pod');

/** What is wanted of a pod. */
export interface PodSpec {
  containers: Container[];
  initContainers?: Container[];
  nodeName?: string;
  nodeSelector?: Record<string, string>;
  affinity?: Record<string, unknown>;
  tolerations?: { key?: string; operator?: string; value?: string; effect?: string; tolerationSeconds?: number }[];
  topologySpreadConstraints?: Record<string, unknown>[];
  serviceAccountName?: string;
  automountServiceAccountToken?: boolean;
  restartPolicy?: 'Always' | 'OnFailure' | 'Never';
  terminationGracePeriodSeconds?: number;
  hostNetwork?: boolean;
  hostPID?: boolean;
  dnsPolicy?: string;
  priorityClassName?: string;
  securityContext?: Record<string, unknown>;
  volumes?: Volume[];
}

/** A program in a pod. */
export interface Container {
  name: string;
  image?: string;
  imagePullPolicy?: 'Always' | 'IfNotPresent' | 'Never';
  command?: string[];
  args?: string[];
  workingDir?: string;
  env?: EnvVar[];
  ports?: { containerPort: number; name?: string; protocol?: string; hostPort?: number }[];
  resources?: ResourceRequirements;
  volumeMounts?: { name: string; mountPath: string; readOnly?: boolean; subPath?: string }[];
  livenessProbe?: Probe;
  readinessProbe?: Probe;
  startupProbe?: Probe;
  lifecycle?: Record<string, unknown>;
  securityContext?: Record<string, unknown>;
  terminationMessagePolicy?: string;
}

/** An environment variable, given or looked up. */
export interface EnvVar {
  name: string;
  value?: string;
  valueFrom?: Record<string, unknown>;
}

/** Quantities by resource name. */
export interface ResourceRequirements {
  requests?: Record<string, string>;
  limits?: Record<string, string>;
}

/** How the kubelet asks a container how it is. */
export interface Probe {
  exec?: { command?: string[] };
  httpGet?: { port: number | string; path?: string; host?: string; scheme?: string };
  tcpSocket?: { port: number | string; host?: string };
  initialDelaySeconds?: number;
  periodSeconds?: number;
  timeoutSeconds?: number;
  failureThreshold?: number;
  successThreshold?: number;
}

/** A folder that a pod can mount, and where it comes from. */
export interface Volume {
  name: string;
  configMap?: { name?: string; optional?: boolean; items?: { key: string; path: string }[] };
  secret?: { secretName?: string; optional?: boolean };
  emptyDir?: { medium?: string; sizeLimit?: string };
  hostPath?: { path: string; type?: string };
  persistentVolumeClaim?: { claimName: string; readOnly?: boolean };
  projected?: Record<string, unknown>;
}

/** What the kubelet saw of a pod. */
export interface PodStatus {
  phase?: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown';
  conditions?: Condition[];
  containerStatuses?: ContainerStatus[];
  initContainerStatuses?: ContainerStatus[];
  hostIP?: string;
  podIP?: string;
  podIPs?: { ip: string }[];
  startTime?: string;
  reason?: string;
  message?: string;
}

/** What the kubelet saw of a container. */
export interface ContainerStatus {
  name: string;
  ready: boolean;
  started?: boolean;
  restartCount: number;
  image: string;
  imageID: string;
  /** For example `containerd://0123…`. */
  containerID?: string;
  state?: ContainerState;
  lastState?: ContainerState;
}

/** Exactly one of these is given. */
export interface ContainerState {
  waiting?: { reason?: string; message?: string };
  running?: { startedAt?: string };
  terminated?: {
    exitCode: number;
    signal?: number;
    reason?: string;
    message?: string;
    startedAt?: string;
    finishedAt?: string;
  };
}

/** A stable address for a set of pods. */
export interface Service extends KubernetesObject {
  spec?: ServiceSpec;
  status?: Record<string, unknown>;
}
export const Service = resourceType<Service>('v1', 'Service');

/** What is wanted of a Service. */
export interface ServiceSpec {
  type?: 'ClusterIP' | 'NodePort' | 'LoadBalancer' | 'ExternalName';
  clusterIP?: string;
  clusterIPs?: string[];
  selector?: Record<string, string>;
  ports?: ServicePort[];
  publishNotReadyAddresses?: boolean;
  externalName?: string;
}

/** A port of a Service, and where it leads. */
export interface ServicePort {
  port: number;
  name?: string;
  protocol?: string;
  targetPort?: number | string;
  nodePort?: number;
}

/** Settings that are no secret. */
export interface ConfigMap extends KubernetesObject {
  data?: Record<string, string>;
  binaryData?: Record<string, string>;
  immutable?: boolean;
}
export const ConfigMap = resourceType<ConfigMap>('v1', 'ConfigMap');

/** Settings that are. */
export interface Secret extends KubernetesObject {
  type?: string;
  /** Base64. */
  data?: Record<string, string>;
  /** Plain text, on the way in only. */
  stringData?: Record<string, string>;
  immutable?: boolean;
}
export const Secret = resourceType<Secret>('v1', 'Secret');

/** Who a pod is to the API server. */
export interface ServiceAccount extends KubernetesObject {
  automountServiceAccountToken?: boolean;
  secrets?: { name?: string }[];
}
export const ServiceAccount = resourceType<ServiceAccount>('v1', 'ServiceAccount');

/** The older Event of `v1`, which `kubectl get events` shows together with those of events.k8s.io. */
export interface Event extends KubernetesObject {
  involvedObject: {
    apiVersion?: string;
    kind?: string;
    name?: string;
    namespace?: string;
    uid?: string;
    resourceVersion?: string;
    fieldPath?: string;
  };
  type?: string;
  reason?: string;
  message?: string;
  count?: number;
  firstTimestamp?: string | null;
  lastTimestamp?: string | null;
  /** RFC 3339 with microseconds. */
  eventTime?: string | null;
  source?: { component?: string; host?: string };
  action?: string;
  reportingComponent?: string;
  reportingInstance?: string;
}
export const Event = resourceType<Event>('v1', 'Event');
