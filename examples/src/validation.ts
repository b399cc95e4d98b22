/**
 * Saying what is right: by types and bounds, by CEL rules that the API server checks itself, and by a webhook for the
 * few things that need more than the object. Whoever gets it wrong reads the field's name and what would be right.
 */
import { deny, duration, immutable, listMap, operator, quantity, resource, rule, z } from '@kurator/sdk';

const port = z.object({
  name: z.string().min(1).max(15),
  number: z.int32().min(1).max(65535),
});

const spec = rule(
  rule(
    z.object({
      engine: immutable(z.enum(['postgres', 'mysql'])),
      version: z.string().regex(/^\d+(\.\d+)?$/, 'must be a version such as 17 or 8.4'),
      replicas: z.int32().min(1).max(9).default(1),
      quorum: z.int32().min(1).max(9).default(1),
      storage: quantity({ min: '1Gi', max: '10Ti' }),
      backup: z
        .object({ every: duration({ min: '5m', max: '168h' }), keep: z.int32().min(1).max(365).default(7) })
        .optional(),
      ports: listMap(port, ['name']).max(8).default([]),
      owner: z.email(),
      upgradeFrom: z.string().max(253).optional(),
    }),
    'self.quorum <= self.replicas',
    'quorum must not be above replicas',
    { fieldPath: '.quorum', check: ({ quorum, replicas }) => quorum <= replicas },
  ),
  "self.engine != 'mysql' || self.replicas != 2",
  'mysql needs 1 replica, or 3 and more: two can not outvote each other',
  { fieldPath: '.replicas', check: ({ engine, replicas }) => engine !== 'mysql' || replicas !== 2 },
);

export const Store = resource({
  group: 'examples.kurator.sh',
  version: 'v1',
  kind: 'Store',
  spec,
  name: z.string().max(40),
});

const supported = { postgres: ['15', '16', '17'], mysql: ['8.0', '8.4'] };

export const example = operator({ name: 'stores' })
  .controller(Store)
  .validate(({ spec, metadata }, { oldObject, user, operation }) => {
    const versions = supported[spec.engine];
    const before = oldObject?.spec;
    return [
      ...(versions.includes(spec.version) ? [] : [deny('spec.version', `must be one of ${versions.join(', ')}`)]),
      ...(before && Number(spec.version) < Number(before.version)
        ? [deny('spec.version', `must not go back from ${before.version}`)]
        : []),
      ...(spec.upgradeFrom === metadata.name ? [deny('spec.upgradeFrom', 'must be another Store')] : []),
      ...(spec.owner.endsWith('@example.com') ? [] : [deny('spec.owner', 'must be an address of example.com')]),
      ...(operation === 'CREATE' && metadata.labels?.tier === 'gold' && !user.groups.includes('system:masters')
        ? [deny('metadata.labels.tier', 'gold is given by administrators only')]
        : []),
    ];
  });
