/** What is done to the shop on the tour, and what must come of it. */
import { type Client, Deployment, Pod } from '@kurator/client';
import type { Cluster } from '@kurator/testenv';
import { NAMESPACE } from './shop.ts';

/** One fault of the tour. */
export interface TourFault {
  readonly service: string;
  /** A few words. */
  readonly title: string;
  /** What is done, and why it is a hard one; a sentence or two. */
  readonly explanation: string;
  /** What it may be taken for. */
  readonly causes: readonly string[];
  /** The one step that must be taken. */
  readonly step: 'replace' | 'rollback';
  /** Does it, and gives the name of the instance that it is done to, where it is one. */
  inject(cluster: Cluster, client: Client): Promise<string | undefined>;
}

export const tourFaults: readonly TourFault[] = [
  {
    service: 'cart',
    title: 'one cart hangs',
    explanation:
      'One of the three carts is stopped (SIGSTOP). Its port still takes connections, and answers nobody: Kubernetes sees a container that runs.',
    causes: ['hang', 'unreachable'],
    step: 'replace',
    inject: freezesOneOf('cart'),
  },
  {
    service: 'catalogue',
    title: 'a bad release of catalogue',
    explanation: 'Somebody deploys a new revision of catalogue, which crashes whenever it starts.',
    causes: ['bad-revision'],
    step: 'rollback',
    async inject(_, client) {
      const containers = [{ name: 'main', env: [{ name: 'BUG', value: 'no such table: products' }] }];
      const patch = { spec: { template: { spec: { containers } } } };
      await client.patch(Deployment, { name: 'catalogue', namespace: NAMESPACE }, patch, { type: 'strategic' });
      return undefined;
    },
  },
  {
    service: 'database',
    title: 'the database is down',
    explanation:
      'The only database is stopped in the same way. Catalogue needs it, and front needs catalogue: both answer 503 now, though nothing is wrong with them.',
    causes: ['hang', 'unreachable'],
    step: 'replace',
    inject: freezesOneOf('database'),
  },
];

/** Those that are not on their way out. */
export async function podsOf(client: Client, service?: string): Promise<Pod[]> {
  const labelSelector = service ? `app=${service}` : 'app';
  const { items } = await client.list(Pod, { namespace: NAMESPACE, labelSelector });
  return items.filter(({ metadata }) => !metadata.deletionTimestamp);
}

function freezesOneOf(service: string): TourFault['inject'] {
  return async ({ faults }, client) => {
    const [pod] = await podsOf(client, service);
    if (!pod) throw new Error(`${service} has no pods`);
    await faults.freeze({ pod });
    return pod.metadata.name;
  };
}
