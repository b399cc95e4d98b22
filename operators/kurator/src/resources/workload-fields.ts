/** What is kept healthy: a service that is described here, or one that is there already. */
import {
  Deployment,
  environment,
  immutable,
  listMap,
  mapOf,
  Pod,
  preserveUnknown,
  type Reference,
  reference,
  resourceRequirements,
  rule,
  Service,
  StatefulSet,
  unchecked,
  z,
} from '@kurator/sdk';

const label = z
  .string()
  .min(1)
  .max(15)
  .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/, 'must be lower case letters, digits and dashes');

const port = z.object({
  name: label,
  port: z.int32().min(1).max(65535).describe('Where the container listens, and the Service too.'),
  protocol: z.enum(['TCP', 'UDP']).default('TCP'),
});

const volume = rule(
  z.object({
    name: z.string().min(1).max(63),
    mountPath: z.string().max(1024).startsWith('/', 'must be an absolute path'),
    readOnly: z.boolean().default(false),
    configMap: z.string().max(253).optional(),
    secret: z.string().max(253).optional(),
    emptyDir: z.object({ sizeLimit: z.string().max(64).optional() }).optional(),
    claim: z
      .object({ storage: z.string().min(1).max(64), storageClassName: z.string().max(253).optional() })
      .optional()
      .describe('A volume of its own for each pod of a StatefulSet.'),
  }),
  '[has(self.configMap), has(self.secret), has(self.emptyDir), has(self.claim)].filter(given, given).size() == 1',
  'give exactly one of configMap, secret, emptyDir and claim',
);

const whereKind = (kind: string, more: Omit<Reference, 'when'>): Reference => ({
  ...more,
  when: `self.kind == '${kind}'`,
});
const making = { verbs: ['create', 'patch', 'delete'], name: '*' };

/** A service that the operator makes and keeps as described: for those who may make it themselves. */
export const service = () =>
  referring(described(), [
    whereKind('Deployment', { ...making, to: Deployment }),
    whereKind('StatefulSet', { ...making, to: StatefulSet }),
    { to: Service, verbs: ['create'], name: '*' },
  ]);

/** The same schema with each of these references. */
export function referring<S extends z.ZodType>(schema: S, references: readonly Reference[]): S {
  return references.reduce((marked, each) => reference(marked, each), schema);
}

const described = () =>
  rule(
    rule(
      z.object({
        kind: immutable(z.enum(['Deployment', 'StatefulSet'])).default('Deployment'),
        image: z.string().min(1).max(1024),
        command: z.array(z.string().max(4096)).max(64).optional(),
        args: z.array(z.string().max(4096)).max(64).optional(),
        // Who may make a Deployment may give its pods every Secret of the namespace.
        env: unchecked(environment().max(256)).optional(),
        port: z.int32().min(1).max(65535).optional().describe('Short for one port of the name "main".'),
        ports: listMap(port, ['name']).max(32).optional(),
        replicas: z
          .int32()
          .min(0)
          .max(10000)
          .optional()
          .describe(
            'Left to whoever sets them unless given: scaling, a HorizontalPodAutoscaler, kubectl scale. A new service begins with 1.',
          ),
        resources: resourceRequirements().optional(),
        volumes: listMap(volume, ['name']).max(32).optional(),
        config: mapOf(z.string().min(1).max(253), z.string().max(262144), { max: 64 })
          .optional()
          .describe('Files of a ConfigMap, mounted at configPath; the pods are rolled when they change.'),
        configPath: z.string().max(1024).startsWith('/', 'must be an absolute path').default('/config'),
        serviceAccountName: z.string().max(253).optional(),
        podTemplate: preserveUnknown()
          .optional()
          .describe('More of the pod, as in a Deployment: what is said here wins over what is made of the rest.'),
      }),
      '!(has(self.port) && has(self.ports))',
      'give port or ports, not both',
      { check: ({ port, ports }) => port === undefined || ports === undefined },
    ),
    "self.kind == 'StatefulSet' || !has(self.volumes) || self.volumes.all(volume, !has(volume.claim))",
    'a claim for each pod needs kind: StatefulSet',
  );

/**
 * A workload that somebody else made: nothing of it is changed but what a repair needs, and only for those who may do that
 * themselves; see also {@link acting}.
 */
export const targetRef = () =>
  reference(
    z.object({
      kind: z.enum(['Deployment', 'StatefulSet']),
      name: z.string().min(1).max(253),
      service: reference(z.string().max(253), { to: Service, verbs: ['get'] })
        .optional()
        .describe('Its Service, for checks through it. Found by its selector unless given.'),
    }),
    { to: Pod, subresource: 'eviction', verbs: ['create'], name: '*' },
  );

/** Fields that decide what is done to a workload, and when. */
const deciding = [
  'targetRef',
  'checks',
  'startupGrace',
  'packetLoss',
  'dependsOn',
  'recovery',
  'coordination',
  'scaling',
  'maintenance',
];

/**
 * For the spec as a whole: whoever changes what is done to the workload, or has it done where it was only watched, must be
 * allowed to do it himself. To have less done by a pause takes no right.
 */
export function acting(): Reference[] {
  const decided = `[${deciding.map((field) => `dyn(has(self.${field}) ? [self.${field}] : [])`).join(', ')}]`;
  const resting = ['pause', 'dryRun'].map((field) => `(has(self.${field}) && self.${field})`).join(' || ');
  return [Deployment, StatefulSet].flatMap((to): Reference[] => {
    const kind = "(has(self.targetRef) ? self.targetRef.kind : has(self.service) ? self.service.kind : '')";
    const when = `${kind} == '${to.kind}'`;
    const right = { to, verbs: ['patch'], name: "has(self.targetRef) ? self.targetRef.name : ''" };
    return [
      { ...right, when, value: decided },
      { ...right, when: `${when} && !(${resting})`, value: "'acts'" },
    ];
  });
}
