/** The templates of one operator in a chart: its manifests, with the chart's values in their places. */
import type { Container, Deployment, KubernetesObject, PodSpec, PolicyRule } from '@kurator/client';
import { rulesWithout } from '@kurator/schema';
import type { PlannedFile } from '../files/template.ts';
import type { OperatorDescription, OperatorFacts } from '../manifests/description.ts';
import { metricsReader } from '../manifests/metrics-reader.ts';
import { operatorManifests } from '../manifests/operator-manifests.ts';
import { clusterRole, namespacedRole } from '../manifests/roles.ts';
import { bareHole, blockHole, templateOf, textHole } from './holes.ts';

/** An operator as a part of a chart. */
export interface ChartOperator {
  readonly facts: OperatorFacts;
  /** What its values are under; letters and digits. */
  readonly key: string;
  /** Where its image is, without a tag. */
  readonly repository: string;
  /** Whether it is installed unless the values say otherwise. */
  readonly enabled: boolean;
  /** Rights that only some need, by what they are for; each can be switched on. */
  readonly optionalRoles?: Readonly<Record<string, readonly PolicyRule[]>>;
  /** Rights among those that it declares which some don't want it to have; each can be switched off. */
  readonly withheldRoles?: Readonly<Record<string, readonly PolicyRule[]>>;
  /** More for its container and its pod: each an expression of Helm that gives a list, or nothing. */
  readonly more?: Readonly<Record<'env' | 'volumeMounts' | 'volumes', string>>;
  /** More values, with their defaults. */
  readonly moreValues?: Readonly<Record<string, unknown>>;
}

/** Which value switches an object on, besides the operator's own `enabled`. */
const switches: Readonly<Record<string, string>> = {
  NetworkPolicy: 'networkPolicy.enabled',
  ValidatingAdmissionPolicy: 'referencePolicy.enabled',
  ValidatingAdmissionPolicyBinding: 'referencePolicy.enabled',
  PodDisruptionBudget: 'disruptionBudget.enabled',
  ServiceMonitor: 'serviceMonitor.enabled',
};

/** One file an object, below `templates/`. */
export function operatorTemplates(operator: ChartOperator): PlannedFile[] {
  const { key, facts, optionalRoles = {}, withheldRoles = {} } = operator;
  const values = `.Values.${key}`;
  const description = describe(operator);
  const everywhere = operatorManifests(description);
  const inSome = operatorManifests({ ...description, namespaces: [textHole('$namespace')] });
  const isWork = ({ kind, metadata }: KubernetesObject) =>
    metadata.name === facts.name && /Role(Binding)?$/.test(kind) && !/^Namespace/.test(kind);
  const files = everywhere
    .filter((object) => !isWork(object))
    .map((object) => fileOf(operator, object, [values, ...conditionOf(values, facts, object)]));
  const granted = [
    objectsFile(
      operator,
      'roles-everywhere',
      `and ${values}.enabled (not ${values}.watchNamespaces)`,
      everywhere.filter(isWork),
    ),
    someNamespacesFile(operator, values, inSome.filter(isWork)),
  ];
  const optional = Object.entries({ ...optionalRoles, ...withheldRoles }).map(([name, rules]) =>
    optionalRoleFile(operator, description, name, rules),
  );
  return [...files, ...granted, ...optional];
}

/** Like its other rights: in the namespaces that it works in, and in no others. */
function optionalRoleFile(
  operator: ChartOperator,
  description: OperatorDescription,
  name: string,
  rules: readonly PolicyRule[],
): PlannedFile {
  const values = `.Values.${operator.key}`;
  const roleName = `${operator.facts.name}-${name}`;
  const everywhere = documents(operator, clusterRole(description, roleName, rules));
  const inEach = documents(operator, namespacedRole(description, roleName, textHole('$namespace'), rules));
  const text = `{{- if not ${values}.watchNamespaces }}\n${everywhere}{{- end }}\n${inNamespaces(values, inEach)}`;
  const path = `templates/${operator.key}/role-${name}.yaml`;
  return { path, text: guarded(`and ${values}.enabled ${values}.roles.${name}`, text) };
}

/** Objects that are there once for each namespace that it works in. */
function inNamespaces(values: string, text: string): string {
  return `{{- range $namespace := ${values}.watchNamespaces }}\n{{- with $ }}\n${text}{{- end }}\n{{- end }}\n`;
}

function documents(operator: ChartOperator, objects: readonly KubernetesObject[]): string {
  return objects.map((object) => `---\n${templateOf(released(operator, object))}`).join('');
}

function describe({ facts, key, withheldRoles = {} }: ChartOperator): OperatorDescription {
  const values = `.Values.${key}`;
  const { permissions } = facts;
  const namespaced = rulesWithout(permissions.namespaced, Object.values(withheldRoles).flat());
  return {
    ...facts,
    permissions: { ...permissions, namespaced },
    image: textHole(`include "kurator.image" (list . ${values}.image)`),
    imagePullPolicy: textHole(`${values}.image.pullPolicy`) as 'IfNotPresent',
    namespace: textHole('.Release.Namespace'),
    version: textHole('.Chart.AppVersion'),
    replicas: bareHole(`int ${values}.replicas`),
    resources: blockHole<object>(`${values}.resources`),
    createNamespace: false,
    serviceMonitor: true,
  };
}

function conditionOf(values: string, facts: OperatorFacts, { kind, metadata }: KubernetesObject): string[] {
  if (kind === 'CustomResourceDefinition') return ['.Values.crds.install'];
  if (kind === 'ClusterRole' && /-(view|edit)$/.test(metadata.name ?? '')) return [`${values}.userRoles.enabled`];
  // But for the role itself, which others may be given too.
  const isReader = metadata.name === metricsReader(facts) && kind !== 'ClusterRole';
  const value = isReader ? switches.ServiceMonitor : switches[kind];
  return value ? [`${values}.${value}`] : [];
}

function fileOf(operator: ChartOperator, object: KubernetesObject, [values, ...others]: string[]): PlannedFile {
  const { key } = operator;
  const enabled = `${values}.enabled`;
  const condition = others.length > 0 ? `and ${[enabled, ...others].join(' ')}` : enabled;
  const { kind, metadata } = object;
  const folder = kind === 'CustomResourceDefinition' ? `${key}/crds/` : `${key}/`;
  const name = kind === 'CustomResourceDefinition' ? metadata.name : `${kind.toLowerCase()}-${metadata.name}`;
  return { path: `templates/${folder}${name}.yaml`, text: guarded(condition, templateOf(released(operator, object))) };
}

/** Objects that are there together or not at all, in one file. */
export function objectsFile(
  operator: ChartOperator,
  name: string,
  condition: string,
  objects: readonly KubernetesObject[],
): PlannedFile {
  const text = objects.map((object) => templateOf(released(operator, object))).join('---\n');
  return { path: `templates/${operator.key}/${name}.yaml`, text: guarded(condition, text) };
}

/** The same rights, but only where it works; kinds of the whole cluster are everywhere. */
function someNamespacesFile(
  operator: ChartOperator,
  values: string,
  objects: readonly KubernetesObject[],
): PlannedFile {
  const isInCluster = ({ kind }: KubernetesObject) => kind.startsWith('ClusterRole');
  const each = documents(
    operator,
    objects.filter((object) => !isInCluster(object)),
  );
  const text = documents(operator, objects.filter(isInCluster)) + inNamespaces(values, each);
  return {
    path: `templates/${operator.key}/roles-in-namespaces.yaml`,
    text: guarded(`and ${values}.enabled ${values}.watchNamespaces`, text),
  };
}

function guarded(condition: string, text: string): string {
  return `{{- if ${condition} }}\n${text}{{- end }}\n`;
}

/** With Helm's own labels, and what only a chart's user can know. */
function released(operator: ChartOperator, object: KubernetesObject): KubernetesObject {
  const labels = {
    ...object.metadata.labels,
    'app.kubernetes.io/managed-by': textHole('.Release.Service'),
    'app.kubernetes.io/instance': textHole('.Release.Name'),
    'helm.sh/chart': textHole('include "kurator.chart" .'),
  };
  const metadata = { ...object.metadata, labels };
  if (object.kind === 'CustomResourceDefinition') {
    return {
      ...object,
      metadata: { ...metadata, annotations: blockHole('include "kurator.crdAnnotations" . | fromYaml') },
    };
  }
  if (object.kind === 'Deployment') return { ...withPlacement(operator, object as Deployment), metadata };
  return { ...object, metadata };
}

function withPlacement({ key, more }: ChartOperator, deployment: Deployment): Deployment {
  const values = `.Values.${key}`;
  const { template } = deployment.spec as NonNullable<Deployment['spec']>;
  const { containers, ...pod } = template.spec as PodSpec;
  const [container] = containers;
  const env = [
    ...((container as Container).env ?? []),
    { name: 'WATCH_NAMESPACE', value: textHole(`join "," ${values}.watchNamespaces`) },
    ...listHole(more?.env),
    blockHole<never>(`${values}.env`),
  ];
  const volumeMounts = [...((container as Container).volumeMounts ?? []), ...listHole(more?.volumeMounts)];
  const placed: PodSpec = {
    imagePullSecrets: blockHole('.Values.imagePullSecrets'),
    ...pod,
    nodeSelector: blockHole(`${values}.nodeSelector`),
    tolerations: blockHole(`${values}.tolerations`),
    priorityClassName: textHole(`${values}.priorityClassName`),
    containers: [{ ...(container as Container), env, volumeMounts }],
    volumes: [...(pod.volumes ?? []), ...listHole(more?.volumes)],
  };
  return {
    ...deployment,
    spec: { ...deployment.spec, template: { ...template, spec: placed } } as NonNullable<Deployment['spec']>,
  };
}

/** The items that an expression gives, at the end of a list. */
function listHole(expression: string | undefined): never[] {
  return expression ? [blockHole<never>(`${expression} | fromYamlArray`)] : [];
}
