/**
 * Two versions of one kind: `v1` has minutes as a number, `v1alpha1` had a text. Users of both see all objects; what is
 * stored is `v1`, and the operator knows nothing else.
 */
import { operator, resource, z } from '@kurator/sdk';

export const Timer = resource({
  group: 'examples.kurator.sh',
  version: 'v1',
  kind: 'Timer',
  spec: z.object({ minutes: z.int().min(1) }),
  status: z.object({ label: z.string() }),
}).withVersion('v1alpha1', {
  deprecated: 'use v1: spec.length became spec.minutes',
  spec: z.object({ length: z.string().regex(/^\d+m$/) }),
  convert: {
    toHub: ({ spec, ...rest }) => ({ ...rest, spec: { minutes: Number.parseInt(spec.length, 10) } }),
    fromHub: ({ spec, status: _, ...rest }) => ({ ...rest, spec: { length: `${spec.minutes}m` } }),
  },
});

export const example = operator({ name: 'timers' })
  .controller(Timer)
  .reconcile(({ spec }) => ({ status: { label: `${spec.minutes} min` } }));
