/** What must be known of an operator in order to run it in a cluster: plain data, from which all its manifests follow. */
import type { EnvVar, PolicyRule, ResourceRequirements } from '@kurator/client';
import type { OperatorFacts } from '@kurator/runtime';

export type { OperatorFacts } from '@kurator/runtime';

/** An operator and how it is to be run; what is not given has a default that is fit for production. */
export interface OperatorDescription extends OperatorFacts {
  /** As a pod would write it: `registry.example.com/demo/web-operator:1.2.0`. */
  readonly image: string;
  /** Which content its name stands for, where that is known: other content is rolled out even under the same name. */
  readonly imageDigest?: string;
  /** Where it lives; its own name unless given. */
  readonly namespace?: string;
  /** The value of the label `app.kubernetes.io/version`; none unless given. */
  readonly version?: string;
  /** How many run, of whom one leads; 2 unless given. */
  readonly replicas?: number;
  /** The namespaces that it works in; all unless given. It gets rights in no others. */
  readonly namespaces?: readonly string[];
  /** What the container asks for and gets at most; {@link DEFAULT_RESOURCES} unless given. */
  readonly resources?: ResourceRequirements;
  /** More variables for the container. */
  readonly env?: readonly EnvVar[];
  /** Rights beyond what the operator declares, in all namespaces that it works in. */
  readonly extraRules?: readonly PolicyRule[];
  /** `IfNotPresent` unless given. */
  readonly imagePullPolicy?: 'Always' | 'IfNotPresent' | 'Never';
  /** Names of Secrets with which the image is pulled. */
  readonly imagePullSecrets?: readonly string[];
  /** Whether the Namespace is among the manifests, with the `restricted` Pod Security Standard; true unless given. */
  readonly createNamespace?: boolean;
  /** Whether only the ports that it serves can be reached; true unless given. */
  readonly networkPolicy?: boolean;
  /** Whether who sets a field that refers to another object must be allowed what the operator does with it; true unless given. */
  readonly referencePolicy?: boolean;
  /** Whether a drain must leave one replica at a time; true unless given. */
  readonly disruptionBudget?: boolean;
  /** Whether Prometheus is told where the metrics are. Needs the kinds of the Prometheus operator; false unless given. */
  readonly serviceMonitor?: boolean;
  /** Whether people who may view or edit a namespace may do so with the operator's own kinds; true unless given. */
  readonly userRoles?: boolean;
}

/** On pods whose image has content that was known when they were made. */
export const DIGEST_ANNOTATION = 'kurator.sh/image-digest';
/** Where the SDK serves probes, metrics and the debug page in a pod. */
export const HTTP_PORT = 8080;
/** Where the SDK serves metrics in a pod, where only some may read them. */
export const METRICS_PORT = 8443;
/** Where the SDK serves webhooks in a pod. */
export const WEBHOOK_PORT = 9443;
/** The user of images that `kurator build` makes. */
export const NONROOT = 65532;

/** Enough for some thousands of objects. No limit of CPU: it would only make a busy operator a slow one. */
export const DEFAULT_RESOURCES: ResourceRequirements = {
  requests: { cpu: '50m', memory: '128Mi' },
  limits: { memory: '512Mi' },
};

/** Which pods are the operator's: never changed, for a Deployment's selector can't be. */
export function selectorOf({ name }: Pick<OperatorDescription, 'name'>): Record<string, string> {
  return { 'app.kubernetes.io/name': name };
}

/** On every object. */
export function labelsOf(description: Pick<OperatorDescription, 'name' | 'version'>): Record<string, string> {
  const { version } = description;
  return {
    ...selectorOf(description),
    'app.kubernetes.io/component': 'operator',
    ...(version ? { 'app.kubernetes.io/version': version } : {}),
  };
}

export function namespaceOf({ name, namespace = name }: Pick<OperatorDescription, 'name' | 'namespace'>): string {
  return namespace;
}
