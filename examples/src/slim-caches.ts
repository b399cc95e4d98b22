/**
 * Caches that hold no more than is needed: Secrets as metadata alone, so that nothing secret is ever in this process's memory;
 * of Pods only those that run, and those without their status.
 */
import { operator, Pod, resource, Secret, z } from '@kurator/sdk';

export const Census = resource({
  group: 'examples.kurator.sh',
  version: 'v1',
  kind: 'Census',
  plural: 'censuses',
  spec: z.object({}),
  status: z.object({ secrets: z.int(), nodes: z.array(z.string()), kept: z.array(z.string()) }),
});

export const example = operator({ name: 'example-census' })
  .controller(Census)
  .watches(Secret, (_, { list }) => list(Census), { metadataOnly: true })
  .watches(Pod, (_, { list }) => list(Census), {
    fields: { 'status.phase': 'Running' },
    transform: ({ status: _, ...pod }) => pod,
  })
  .reconcile((_, { list }) => {
    const secrets = list(Secret);
    const pods = list(Pod);
    const kept = [...secrets, ...pods].flatMap(({ apiVersion: _, kind: _kind, ...rest }) => Object.keys(rest));
    const nodes = pods.flatMap(({ spec }) => spec?.nodeName ?? []);
    return { status: { secrets: secrets.length, nodes: nodes.toSorted(), kept: [...new Set(kept)].toSorted() } };
  });
