/** The ClusterServiceVersion of an operator: what OLM shows of it, and how it installs it. Pure. */
import type { Deployment, KubernetesObject, PolicyRule } from '@kurator/client';
import type { CustomResourceDefinition } from '@kurator/client/apiextensions/v1';
import { deployment } from '../manifests/deployment.ts';
import type { OperatorDescription } from '../manifests/description.ts';
import { type ClusterServiceVersion, csvName, installModeTypes, type OwnedKind } from './cluster-service-version.ts';
import { descriptorsOf, storedVersion, titleOf } from './descriptors.ts';
import type { Listing } from './listing.ts';
import { ownedResources } from './owned-resources.ts';

/** Everything a bundle follows from. */
export interface BundleSource {
  readonly operator: OperatorDescription;
  readonly listing: Listing;
  /** One object of each kind, as an example to start from. */
  readonly samples: readonly KubernetesObject[];
}

export function clusterServiceVersion({ operator, listing, samples }: BundleSource): ClusterServiceVersion {
  const { name, version = '0.0.0' } = operator;
  const { permissions, extraRules = [] } = operator;
  return {
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'ClusterServiceVersion',
    metadata: {
      name: csvName(name, version),
      namespace: 'placeholder',
      annotations: annotations({ operator, listing, samples }),
    },
    spec: {
      displayName: listing.displayName,
      description: listing.description,
      version,
      ...(listing.replaces ? { replaces: listing.replaces } : {}),
      maturity: listing.maturity,
      ...(listing.minKubeVersion ? { minKubeVersion: listing.minKubeVersion } : {}),
      keywords: [...listing.keywords],
      provider: withoutEmail(listing.provider),
      maintainers: listing.maintainers.map(({ name: who, email = '' }) => ({ name: who, email })),
      links: [...listing.links],
      icon: [listing.icon],
      installModes: installModeTypes.map((type) => ({ type, supported: listing.installModes.includes(type) })),
      customresourcedefinitions: { owned: operator.crds.map((crd) => ownedKind(crd, permissions.namespaced)) },
      install: {
        strategy: 'deployment',
        spec: {
          // OLM grants these where the operator is told to work and where it lives: in the whole cluster if that is all.
          permissions: granted(name, [...permissions.namespaced, ...extraRules, ...permissions.own]),
          clusterPermissions: granted(name, permissions.cluster),
          deployments: [installed(operator)],
        },
      },
    },
  };
}

function annotations({ operator, listing, samples }: BundleSource): Record<string, string> {
  return {
    'alm-examples': JSON.stringify(samples, undefined, 2),
    capabilities: listing.capability,
    ...(listing.categories.length > 0 ? { categories: listing.categories.join(',') } : {}),
    containerImage: operator.image,
    description: listing.summary,
    'operatorframework.io/suggested-namespace': operator.name,
    'operators.operatorframework.io/builder': 'kurator',
    'operators.operatorframework.io/project_layout': 'typescript.kurator.sh/v1',
    ...(listing.repository ? { repository: listing.repository } : {}),
    support: listing.provider.name,
  };
}

function withoutEmail({ name, url }: Listing['provider']): { name: string; url?: string } {
  return { name, ...(url ? { url } : {}) };
}

function ownedKind(crd: CustomResourceDefinition, rules: readonly PolicyRule[]): OwnedKind {
  const { kind } = crd.spec.names;
  const { spec, status } = descriptorsOf(crd);
  const { name, schema } = storedVersion(crd);
  return {
    name: crd.metadata.name,
    version: name,
    kind,
    displayName: titleOf(kind),
    description: schema?.openAPIV3Schema?.description ?? `${titleOf(kind)} objects of ${crd.spec.group}`,
    resources: ownedResources(rules),
    specDescriptors: spec,
    statusDescriptors: status,
  };
}

function granted(serviceAccountName: string, rules: readonly PolicyRule[]) {
  return rules.length > 0 ? [{ serviceAccountName, rules: [...rules] }] : [];
}

/** As it is deployed without OLM, except that OLM says where it works. */
function installed(operator: OperatorDescription) {
  const { metadata, spec }: Deployment = deployment(operator);
  if (!spec) throw new Error('a Deployment has a spec');
  const fieldRef = { fieldPath: "metadata.annotations['olm.targetNamespaces']" };
  const pod = spec.template.spec;
  const containers = pod?.containers.map((container) => {
    const others = (container.env ?? []).filter(({ name }) => name !== 'WATCH_NAMESPACE');
    return { ...container, env: [...others, { name: 'WATCH_NAMESPACE', valueFrom: { fieldRef } }] };
  });
  const template = { ...spec.template, spec: { ...pod, containers: containers ?? [] } };
  return { name: metadata.name, label: metadata.labels ?? {}, spec: { ...spec, template } };
}
