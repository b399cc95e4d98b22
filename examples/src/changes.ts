/**
 * What has changed since it was last acted on: kept in the status, so that it is still known after a restart. A webhook is given
 * the object as it was, and a predicate has `previous()`.
 */
import { diff, operator, resource, z } from '@kurator/sdk';

const spec = z.object({ amount: z.number(), currency: z.string().default('EUR') });

export const Price = resource({
  group: 'examples.kurator.sh',
  version: 'v1',
  kind: 'Price',
  spec,
  status: z.object({ applied: spec, changes: z.array(z.string()) }),
});

export const example = operator({ name: 'prices' })
  .controller(Price, { predicate: (change) => diff(change.previous(), change.object()).length > 0 })
  .validate((price, { oldObject, warn }) => {
    if (diff(oldObject?.spec, price.spec).some(({ path }) => path === 'currency'))
      warn('all of its history is in another currency');
  })
  .reconcile(({ spec, status }) => {
    const changes = diff(status?.applied, spec).map(({ path, before, after }) => `${path}: ${before} → ${after}`);
    return { status: { applied: spec, changes: changes.length > 0 ? changes : (status?.changes ?? []) } };
  });
