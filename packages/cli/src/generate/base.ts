/** What runs the operator in a cluster, as a kustomize base: account, roles, Deployment and what surrounds it. */
import type { KubernetesObject } from '@kurator/client';
import { kustomization, yamlFile } from '../files/generated-file.ts';
import { operatorManifests } from '../manifests/operator-manifests.ts';
import type { Generator } from './generator.ts';

const folder = 'deploy/base';

/** Kinds that are read together are in one file. Others have one of their own. */
const fileOf: Readonly<Record<string, string>> = {
  ServiceAccount: 'rbac',
  ClusterRole: 'rbac',
  ClusterRoleBinding: 'rbac',
  Role: 'rbac',
  RoleBinding: 'rbac',
  ValidatingAdmissionPolicy: 'reference-policy',
  ValidatingAdmissionPolicyBinding: 'reference-policy',
  PodDisruptionBudget: 'pod-disruption-budget',
  NetworkPolicy: 'network-policy',
  ServiceMonitor: 'service-monitor',
  // The token that it names.
  Secret: 'service-monitor',
};

export const base: Generator = {
  description: 'service account, roles and Deployment, as a kustomize base',
  folder,
  files({ operator }) {
    const objects = operatorManifests(operator).filter(({ kind }) => kind !== 'CustomResourceDefinition');
    const byFile = Map.groupBy(objects, nameOf);
    const files = [...byFile].map(([name, some]) => yamlFile(`${folder}/${name}.yaml`, some));
    const names = [...byFile.keys()].map((name) => `${name}.yaml`);
    const definitions = operator.crds.length > 0 ? ['../crds'] : [];
    return [...files, kustomization(folder, [...definitions, ...names])];
  },
};

function nameOf({ kind }: KubernetesObject): string {
  return fileOf[kind] ?? kind.toLowerCase();
}

/** For those who have nothing but kubectl. */
export const install: Generator = {
  description: 'all of it in one file, for kubectl apply -f',
  folder: 'deploy/install',
  files: ({ operator }) => [yamlFile('deploy/install/install.yaml', operatorManifests(operator))],
};
