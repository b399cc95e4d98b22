/** The kinds: what people declare of a cluster, and what they are told of it. */
import { immutable, mapOf, type ObjectOf, quantity, resource, resourceRequirements, rule, z } from '@kurator/sdk';
import { MANAGED_PARAMETERS } from './postgres/parameters.ts';

/** A pattern, refused with what to write instead: a pattern of OpenAPI can't say that. */
function said<S extends z.ZodType<string>>(schema: S, pattern: RegExp, remedy: string): S {
  return rule(schema, `self.matches(${JSON.stringify(pattern.source)})`, remedy, {
    check: (text) => pattern.test(text),
  });
}

const known = /^(13|14|15|16|17|18)([.](0|[1-9][0-9]?))?$/;
const version = rule(
  said(
    z
      .string()
      .max(8)
      .describe('The version of PostgreSQL, which is the tag of its image: 15, or 15.8. 13 to 18 are known.'),
    known,
    'give a major version from 13 to 18, with or without the minor one: 15, or 15.8',
  ),
  `!self.matches(${JSON.stringify(known.source)}) || self.split('.')[0] == oldSelf.split('.')[0]`,
  'a major version has another format of data: make a new cluster, and bring the data over by pg_dump',
);

const storage = z
  .object({
    size: rule(
      quantity({ min: '256Mi' }),
      'quantity(string(self)).compareTo(quantity(string(oldSelf))) >= 0',
      "a volume can't shrink: give at least the present size",
    )
      .default('8Gi')
      .describe('How large the volume of each instance is. Can grow, never shrink.'),
    storageClass: immutable(z.string().min(1).max(253).optional(), { settable: false }).describe(
      'The default class unless given.',
    ),
  })
  .prefault({});

const identifier = () =>
  said(
    z.string().max(63),
    /^[a-z_][a-z0-9_]*$/,
    'give a name of PostgreSQL that needs no quotes: small letters, digits and underscores, at most 63',
  );

const bootstrap = immutable(
  z.object({
    database: identifier().default('app').describe('The database that the application is given.'),
    owner: rule(
      identifier(),
      `self != 'postgres' && self != 'replicator' && !self.startsWith('pg_')`,
      'postgres, replicator and names that begin with pg_ are taken: give another one',
    )
      .default('app')
      .describe('The role that owns it, and whose password is in the Secret NAME-app.'),
  }),
)
  .prefault({})
  .describe('What the cluster begins with.');

const parameters = rule(
  rule(
    mapOf(z.string().min(1).max(63), z.string().max(1000), { max: 100 }),
    `self.all(name, name.matches('^[a-z][a-z0-9_.]*$'))`,
    'give parameters as PostgreSQL calls them: work_mem',
  ),
  `self.all(name, !(name in [${MANAGED_PARAMETERS.map((name) => `'${name}'`).join(', ')}]))`,
  'parameters that replication, files and addresses hang on are the operator’s: leave out ' +
    'synchronous_standby_names, primary_conninfo, listen_addresses and their like',
).optional();

const clusterFields = z.object({
  instances: z
    .int32()
    .min(1)
    .max(9)
    .default(3)
    .describe('How many instances it has: a primary, and replicas that can take its place.'),
  version,
  repository: said(
    z.string().max(255),
    /^([a-zA-Z0-9][-a-zA-Z0-9.]*(:[0-9]{1,5})?\/)?[a-z0-9]+([._/-]+[a-z0-9]+)*$/,
    'give the name of images without a tag or digest, which follow from version: docker.io/library/postgres',
  )
    .default('docker.io/library/postgres')
    .describe('Where images come from; the tag is the version.'),
  storage,
  synchronous: z
    .object({
      number: z
        .int32()
        .min(0)
        .max(8)
        .optional()
        .describe(
          'How many replicas have each commit before it is acknowledged. Half of them, rounded up, unless given. 0: a failover may lose ' +
            'what was committed last, so none is made without a person.',
        ),
    })
    .prefault({}),
  bootstrap,
  parameters: parameters.describe('Of postgresql.conf, such as work_mem: 16MB.'),
  resources: rule(
    resourceRequirements(),
    '!has(self.limits) || !has(self.requests) || self.requests.all(name, !(name in self.limits) || quantity(string(self.requests[name])).compareTo(quantity(string(self.limits[name]))) <= 0)',
    'nothing can be requested beyond its limit: raise limits, or lower requests',
  )
    .optional()
    .describe('Of the database in each instance.'),
  nodeSelector: mapOf(
    z.string().min(1).max(317),
    said(
      z.string().max(63),
      /^([a-zA-Z0-9]([-._a-zA-Z0-9]*[a-zA-Z0-9])?)?$/,
      'give the value of a label: letters, digits, dashes, dots and underscores, at most 63',
    ),
    { max: 32 },
  ).optional(),
  paused: z.boolean().default(false).describe('The operator changes nothing. Instances go on, and fail over.'),
});

const instance = z.object({
  name: z.string().describe('Of its pod and its claim.'),
  role: z.enum(['Primary', 'Replica', 'Unknown']),
  ready: z.boolean(),
  timeline: z.int().optional(),
  lag: z.int().describe('How many bytes of WAL it is behind the primary.').optional(),
  doing: z.string().describe('What its brain does, or waits for.').optional(),
});

/** A cluster of PostgreSQL. */
export const PostgresCluster = resource({
  group: 'database.kurator.sh',
  version: 'v1alpha1',
  kind: 'PostgresCluster',
  shortNames: ['pg'],
  categories: ['all'],
  description: 'A cluster of PostgreSQL that fails over and loses nothing.',
  // Pods are called after it, with a dash and a number; Services with a dash and a word.
  name: z
    .string()
    .max(48)
    .regex(/^[a-z]([-a-z0-9]*[a-z0-9])?$/),
  spec: rule(
    clusterFields,
    '!has(self.synchronous) || !has(self.synchronous.number) || self.synchronous.number < (has(self.instances) ? self.instances : 3)',
    'synchronous.number: more replicas than there are would be waited for for ever: give less than instances',
  ),
  status: z.object({
    phase: z.enum(['Creating', 'Running', 'Changing', 'FailingOver', 'Degraded', 'Paused']),
    ready: z.string().describe('Ready instances of those that are wanted: 3/3.'),
    readyInstances: z.int(),
    selector: z.string(),
    primary: z.string(),
    epoch: z.int().describe('How often another primary was chosen.'),
    timeline: z.int(),
    synchronous: z.string().describe('Which replicas have each commit before it is acknowledged.'),
    systemId: z
      .string()
      .describe('As PostgreSQL calls it. Once it is here the cluster has data, and is never begun anew.'),
    step: z.string().describe('What is being done, or waited for, and why.'),
    instances: z.array(instance).max(32),
  }),
  columns: {
    Ready: '.status.ready',
    Primary: '.status.primary',
    Version: '.spec.version',
    Phase: '.status.phase',
    Age: { path: '.metadata.creationTimestamp', type: 'date' },
    Epoch: { path: '.status.epoch', type: 'integer', priority: 1 },
    Step: { path: '.status.step', priority: 1 },
  },
  scale: { specReplicas: '.spec.instances', statusReplicas: '.status.readyInstances', selector: '.status.selector' },
});
export type PostgresCluster = ObjectOf<typeof PostgresCluster>;
