/** The kinds that the Operator Lifecycle Manager reads, as far as a bundle has them. */
import type { DeploymentSpec, KubernetesObject, PolicyRule } from '@kurator/client';

/** How much of an operator's life it takes over; OLM's own words, from one level to five. */
export const capabilityLevels = [
  'Basic Install',
  'Seamless Upgrades',
  'Full Lifecycle',
  'Deep Insights',
  'Auto Pilot',
] as const;
export type CapabilityLevel = (typeof capabilityLevels)[number];

/** Which namespaces an operator can be told to work in; OLM's own words. */
export const installModeTypes = ['OwnNamespace', 'SingleNamespace', 'MultiNamespace', 'AllNamespaces'] as const;
export type InstallModeType = (typeof installModeTypes)[number];

/** Tells a page how to show one field. */
export interface Descriptor {
  path: string;
  displayName: string;
  description?: string;
  'x-descriptors'?: string[];
}

export interface OwnedKind {
  name: string;
  version: string;
  kind: string;
  displayName: string;
  description: string;
  resources: { kind: string; version: string; name: string }[];
  specDescriptors: Descriptor[];
  statusDescriptors: Descriptor[];
}

export interface InstallPermissions {
  serviceAccountName: string;
  rules: PolicyRule[];
}

export interface ClusterServiceVersion extends KubernetesObject {
  spec: {
    displayName: string;
    description: string;
    version: string;
    replaces?: string;
    maturity: string;
    minKubeVersion?: string;
    keywords: string[];
    provider: { name: string; url?: string };
    maintainers: { name: string; email: string }[];
    links: { name: string; url: string }[];
    icon: { base64data: string; mediatype: string }[];
    installModes: { type: InstallModeType; supported: boolean }[];
    customresourcedefinitions: { owned: OwnedKind[] };
    install: {
      strategy: 'deployment';
      spec: {
        permissions: InstallPermissions[];
        clusterPermissions: InstallPermissions[];
        deployments: { name: string; label: Record<string, string>; spec: DeploymentSpec }[];
      };
    };
  };
}

/** `web-operator.v1.2.0` */
export function csvName(name: string, version: string): string {
  return `${name}.v${version}`;
}
