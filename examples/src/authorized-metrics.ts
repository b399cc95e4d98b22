/**
 * Metrics that not everybody in the cluster may read: over TLS, for those whose token the API server knows and who may get the
 * non-resource URL /metrics. The rights that this takes, and a role for readers, are among what `kurator generate` makes.
 */
import { operator, resource, z } from '@kurator/sdk';

export const Till = resource({
  group: 'examples.kurator.sh',
  version: 'v1',
  kind: 'Till',
  spec: z.object({ amount: z.int() }),
  status: z.object({ counted: z.int() }),
});

export const example = operator({ name: 'example-till', http: { metrics: 'authorized' } })
  .controller(Till)
  .reconcile(({ spec }) => ({ status: { counted: spec.amount } }));
