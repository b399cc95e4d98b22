/** Opens the clusters that an operator works on. */
import { type Client, createClient, loadKubeconfig } from '@kurator/client';
import { systemClock } from '../../clock.ts';
import { createEventRecorder } from '../../events/event-recorder.ts';
import { ObservedCaches } from '../../manager/internal/observed-caches.ts';
import type { Manager } from '../../manager/manager.ts';
import { type ClusterAccess, HOME, type OperatorDefinition } from '../definition.ts';
import type { CacheNeed } from './cache-plan.ts';
import { openSite, type Site } from './site.ts';

export interface SitesOptions {
  readonly name: string;
  readonly needs: readonly CacheNeed[];
  readonly namespaces: readonly string[] | undefined;
  /** Lets a client write only while this process may. */
  fenced(client: Client): Client;
}

/** Sites by name, run by a manager; the operator's own is among them. */
export async function openSites(
  { clusters }: OperatorDefinition,
  manager: Manager,
  { name, needs, namespaces, fenced }: SitesOptions,
): Promise<Map<string, Site>> {
  const { events, caches, logger } = manager;
  const home = openSite({ name: HOME, client: fenced(manager.client), events, caches, needs, namespaces });
  const sites = new Map([[HOME, home]]);
  for (const [cluster, access] of clusters) {
    const { client, close } = await reach(access);
    const events = createEventRecorder({
      client,
      reportingController: name,
      onTrouble: (what, error) => logger.warn(error === undefined ? { cluster } : { cluster, error }, what),
    });
    const caches = new ObservedCaches({
      client,
      clock: systemClock,
      failsWithoutKind: false,
      // Without `ready`: a cluster that can't be reached must not keep the others waiting.
      onNew: ({ name, run }) => manager.add({ name: `${name} in ${cluster}`, run }),
      onTrouble: (kind, error) => logger.warn({ cluster, kind, error }, 'a watch was broken off: it begins again'),
      onFailure: (error) => logger.error({ cluster, error, remedy: error.remedy }, 'a cache goes on with what it can'),
    });
    manager.add({
      name: `cluster ${cluster}`,
      async run({ stop }) {
        await new Promise((resolve) => stop.addEventListener('abort', resolve, { once: true }));
        await events.stop();
        await close();
      },
    });
    sites.set(cluster, openSite({ name: cluster, client: fenced(client), events, caches, needs, namespaces }));
  }
  return sites;
}

interface Reached {
  readonly client: Client;
  close(): Promise<void>;
}

/** What was opened here is closed here. */
export async function reach(access: ClusterAccess): Promise<Reached> {
  if (typeof access !== 'string' && 'close' in access) return { client: access, close: async () => {} };
  const client = createClient(typeof access === 'string' ? await loadKubeconfig(access) : access);
  return { client, close: () => client.close() };
}
