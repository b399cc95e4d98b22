/** An operator for the tests of bundles: small, and with nothing left to wish for. */
import { crdOf, resource } from '@kurator/schema';
import { z } from '@kurator/sdk';
import type { BundleSource } from './csv.ts';
import { defaultIcon } from './listing.ts';

const Garden = resource({
  group: 'example.com',
  version: 'v1alpha1',
  kind: 'Garden',
  spec: z
    .object({
      replicas: z.int().min(0).default(1).describe('How many beds'),
      size: z.enum(['small', 'large']).default('small'),
      watered: z.boolean().default(true),
      soil: z.object({ kind: z.string(), depth: z.int().optional() }).optional(),
    })
    .describe('A garden'),
  status: z.object({ phase: z.string().optional() }),
});

export const exampleSource: BundleSource = {
  operator: {
    name: 'garden-operator',
    version: '1.2.0',
    image:
      'registry.example.com/garden-operator@sha256:0000000000000000000000000000000000000000000000000000000000000000',
    webhooks: false,
    crds: [crdOf(Garden)],
    permissions: {
      namespaced: [{ apiGroups: ['apps'], resources: ['deployments'], verbs: ['get', 'patch'] }],
      cluster: [{ apiGroups: [''], resources: ['nodes'], verbs: ['list'] }],
      own: [{ apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'update'] }],
    },
  },
  listing: {
    displayName: 'Garden Operator',
    summary: 'Gardens that look after themselves',
    description: '# Gardens',
    capability: 'Auto Pilot',
    categories: ['Developer Tools'],
    keywords: ['garden'],
    provider: { name: 'Example', url: 'https://example.com' },
    maintainers: [{ name: 'Ada', email: 'ada@example.com' }],
    links: [{ name: 'Home page', url: 'https://example.com' }],
    icon: { base64data: Buffer.from(defaultIcon).toString('base64'), mediatype: 'image/svg+xml' },
    maturity: 'stable',
    minKubeVersion: '1.30.0',
    replaces: undefined,
    repository: 'https://example.com/garden',
    channels: ['stable', 'beta'],
    defaultChannel: 'stable',
    installModes: ['OwnNamespace', 'AllNamespaces'],
  },
  samples: [
    {
      apiVersion: 'example.com/v1alpha1',
      kind: 'Garden',
      metadata: { name: 'sample' },
      spec: { replicas: 2 },
    } as never,
  ],
};
