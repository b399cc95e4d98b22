/** What an operator makes for its kinds, in the words of a catalogue: read off what it may create. Pure. */
import type { PolicyRule } from '@kurator/client';

/** The kinds that operators make. One that is not here is simply not shown. */
const kinds: Readonly<Record<string, readonly [kind: string, version: string]>> = {
  '/configmaps': ['ConfigMap', 'v1'],
  '/events': ['Event', 'v1'],
  '/persistentvolumeclaims': ['PersistentVolumeClaim', 'v1'],
  '/pods': ['Pod', 'v1'],
  '/secrets': ['Secret', 'v1'],
  '/serviceaccounts': ['ServiceAccount', 'v1'],
  '/services': ['Service', 'v1'],
  'apps/daemonsets': ['DaemonSet', 'v1'],
  'apps/deployments': ['Deployment', 'v1'],
  'apps/statefulsets': ['StatefulSet', 'v1'],
  'autoscaling/horizontalpodautoscalers': ['HorizontalPodAutoscaler', 'v2'],
  'batch/cronjobs': ['CronJob', 'v1'],
  'batch/jobs': ['Job', 'v1'],
  'events.k8s.io/events': ['Event', 'v1'],
  'networking.k8s.io/ingresses': ['Ingress', 'v1'],
  'networking.k8s.io/networkpolicies': ['NetworkPolicy', 'v1'],
  'policy/poddisruptionbudgets': ['PodDisruptionBudget', 'v1'],
};

const making = new Set(['create', 'patch', '*']);

export function ownedResources(rules: readonly PolicyRule[]): { kind: string; version: string; name: string }[] {
  const made = rules.filter(({ verbs }) => verbs.some((verb) => making.has(verb)));
  const names = made.flatMap(({ apiGroups = [], resources = [] }) =>
    apiGroups.flatMap((group) => resources.map((resource) => `${group}/${resource}`)),
  );
  const found = new Map(names.flatMap((name) => (kinds[name] ? [[kinds[name][0], kinds[name]] as const] : [])));
  return [...found.values()]
    .map(([kind, version]) => ({ kind, version, name: '' }))
    .toSorted((a, b) => (a.kind < b.kind ? -1 : 1));
}
