/** Names for a shell to offer: quick, and none where nobody answers. Nobody waits for a completion. */
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Client, KubernetesObject, ResourceType } from '@kurator/client';
import type { Offer, Source } from './place.ts';

const PATIENCE = 1000;

type Said = Offer['said'];

/** Who knows the names of a source. */
export type NameReaders = Readonly<Partial<Record<Source, (said: Said) => Promise<string[]>>>>;

/**
 * All names that the sources have, each once. Never fails.
 *
 * @param more Readers of what no API server knows.
 */
export async function namesFrom(sources: readonly Source[], said: Said, more: NameReaders = {}): Promise<string[]> {
  const known = { ...readers, ...more };
  const found = await Promise.all(sources.map(async (source) => await known[source]?.(said).catch(() => [])));
  return [...new Set(found.flatMap((names) => names ?? []))];
}

/** Of whose objects only the names are wanted. */
const healers = (kind: string) => async () =>
  (await import('@kurator/client')).resourceType<KubernetesObject>('kurator.sh/v1alpha1', kind);

const readers: NameReaders = {
  kurators: async (said) => await objectNames(said, healers('Kurator')),
  incidents: async (said) => await objectNames(said, healers('Incident')),
  namespaces: async (said) => await objectNames(said, async () => (await import('@kurator/client')).Namespace),
  contexts,
};

async function objectNames(
  { kubeconfig, context, namespace, allNamespaces }: Said,
  kind: () => Promise<ResourceType<KubernetesObject>>,
): Promise<string[]> {
  const { createClient, loadConfig } = await import('@kurator/client');
  const config = await loadConfig({
    ...(typeof kubeconfig === 'string' && { kubeconfig }),
    ...(typeof context === 'string' && { context }),
  });
  const client: Client = createClient(config);
  try {
    const type = await kind();
    const where = typeof namespace === 'string' ? namespace : (config.namespace ?? 'default');
    const isWhole = !type.namespaced || allNamespaces;
    const { items } = await client.list(type, {
      ...(isWhole ? {} : { namespace: where }),
      metadataOnly: true,
      timeout: PATIENCE,
      retries: 0,
    });
    return items.map(({ metadata }) => metadata.name);
  } finally {
    await client.close();
  }
}

async function contexts({ kubeconfig }: Said): Promise<string[]> {
  const { parse } = await import('yaml');
  const given = typeof kubeconfig === 'string' ? kubeconfig : process.env.KUBECONFIG;
  const files = (given || join(homedir(), '.kube', 'config')).split(delimiter).filter(Boolean);
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8').catch(() => '')));
  return texts.flatMap((text) => {
    const { contexts: known = [] } = (parse(text) ?? {}) as { contexts?: { name: string }[] };
    return known.map(({ name }) => name);
  });
}
