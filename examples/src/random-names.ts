/**
 * A child whose name is drawn by lot: each Coupon has a ConfigMap that nobody can guess. A crash must not make two of
 * them, so the name is written down before the child is made: whoever comes after makes that one, and no other.
 */
import { randomBytes } from 'node:crypto';
import { ConfigMap, operator, requeue, resource, z } from '@kurator/sdk';

export const Coupon = resource({
  group: 'examples.kurator.sh',
  version: 'v1',
  kind: 'Coupon',
  spec: z.object({ discount: z.int().min(1).max(100) }),
  status: z.object({ secret: z.string() }),
});

export const example = operator({ name: 'coupons' })
  .controller(Coupon)
  .owns(ConfigMap)
  .reconcile(async ({ metadata: { name }, spec, status }, { apply }) => {
    const secret = status?.secret;
    if (!secret) return { status: { secret: `${name}-${randomBytes(4).toString('hex')}` }, ...requeue('1ms') };
    await apply(ConfigMap, { metadata: { name: secret }, data: { discount: String(spec.discount) } });
    return { status: { secret } };
  });
