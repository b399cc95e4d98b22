/** The manifests of an operator, from its description: pure, and in the order in which they are to be applied. */
import type { KubernetesObject, Namespace, ServiceAccount } from '@kurator/client';
import { deployment } from './deployment.ts';
import { labelsOf, namespaceOf, type OperatorDescription } from './description.ts';
import { metricsReaderAccount, metricsReaderRole } from './metrics-reader.ts';
import { roles, userRoles } from './roles.ts';
import { disruptionBudget, networkPolicy, serviceMonitor, services } from './surroundings.ts';

const allOn = {
  createNamespace: true,
  referencePolicy: true,
  networkPolicy: true,
  disruptionBudget: true,
  userRoles: true,
};

/** Everything that it takes to run the operator. The kinds come first, the Deployment after all that it needs. */
export function operatorManifests(description: OperatorDescription): KubernetesObject[] {
  const on = { ...allOn, ...description };
  return [
    ...description.crds,
    ...(on.referencePolicy ? referencePolicies(description) : []),
    ...(on.createNamespace ? [namespace(description)] : []),
    serviceAccount(description),
    ...roles(description),
    ...(on.userRoles ? userRoles(description) : []),
    ...metricsReaderRole(description),
    ...services(description),
    ...(on.networkPolicy ? [networkPolicy(description)] : []),
    ...(on.disruptionBudget ? [disruptionBudget(description)] : []),
    deployment(description),
    ...(on.serviceMonitor ? [...metricsReaderAccount(description), serviceMonitor(description)] : []),
  ];
}

function referencePolicies(description: OperatorDescription): KubernetesObject[] {
  const labels = labelsOf(description);
  return (description.policies ?? []).map((object) => ({ ...object, metadata: { ...object.metadata, labels } }));
}

function namespace(description: OperatorDescription): Namespace {
  const labels = { ...labelsOf(description), 'pod-security.kubernetes.io/enforce': 'restricted' };
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespaceOf(description), labels } };
}

function serviceAccount(description: OperatorDescription): ServiceAccount {
  const { name } = description;
  const metadata = { name, namespace: namespaceOf(description), labels: labelsOf(description) };
  return { apiVersion: 'v1', kind: 'ServiceAccount', metadata };
}
