/** Like examples/src/random-names.ts, with a bug: the name is written down after the child is made. */
import { randomBytes } from 'node:crypto';
import { ConfigMap, operator } from '@kurator/sdk';
import { Coupon } from '../../src/random-names.ts';

await operator({ name: 'coupons' })
  .controller(Coupon)
  .owns(ConfigMap)
  .reconcile(async ({ metadata: { name }, spec, status }, { apply }) => {
    const secret = status?.secret ?? `${name}-${randomBytes(4).toString('hex')}`;
    await apply(ConfigMap, { metadata: { name: secret }, data: { discount: String(spec.discount) } });
    return { status: { secret } };
  })
  .run();
