/** What may be done to bring a service back, how loudly, and when not. */
import { duration, intOrPercent, reference, rule, uniqueList, z } from '@kurator/sdk';
import { typeNamed } from './group.ts';

const step = () =>
  z
    .object({
      enabled: z.boolean(),
      deadline: duration({ min: '1s', max: '24h' }).describe('How long one try may take, until it is verified.'),
      tries: z.int32().min(1).max(10),
      approval: z.boolean().describe('Whether on-call must agree first: `kurator approve`.'),
    })
    .partial();

const budget = () =>
  z.object({ repairs: z.int32().min(0).max(1000), per: duration({ min: '1m', max: '168h' }).default('1h') });

export const recovery = () =>
  z
    .object({
      steps: z
        .object({ kubernetes: step(), replace: step(), restart: step(), rollback: step(), scale: step() })
        .partial()
        .describe('The ladder, from gentle to strong. After the last step comes on-call.'),
      budget: budget().describe('Repairs of this service in a time.'),
      maxRepairs: z.int32().min(1).max(20).describe('In one incident, before on-call is called.'),
      minHealthy: intOrPercent().describe('Healthy pods that a repair must leave.'),
      maxUnavailable: intOrPercent().describe('Pods that a repair takes away at a time.'),
      coolDown: duration({ max: '1h' }),
      stability: duration({ min: '1s', max: '24h' }).describe(
        'How long it must stay well before its incident is closed.',
      ),
      relapses: z.int32().min(1).max(20).describe('Relapses in one incident before it is quarantined.'),
      provenAfter: duration({ max: '168h' }).describe(
        'How long a revision must be well before it can be rolled back to.',
      ),
      yieldFor: duration({ max: '24h' }).describe('Hands off for so long after somebody else changed the workload.'),
      approvalDeadline: duration({ min: '1m', max: '168h' }),
      nodeGrace: duration({ max: '24h' }).describe('How long a silent node is waited for.'),
      moveWhenUnreachable: z
        .boolean()
        .describe('Replaces stateful pods of a node that is only unreachable, by force: they may run twice.'),
      patience: duration({ min: '1s', max: '24h' }).describe(
        'How long a repair may be held up before on-call is told.',
      ),
      restartHealthy: z.boolean().describe('Whether a restart also takes pods that pass their checks.'),
    })
    .partial();

const hook = z.object({
  url: z
    .string()
    .max(2048)
    .regex(/^https?:\/\//, 'must be an http or https URL')
    .describe(
      'POSTed to when a fault of what this service depends on is confirmed, before a repair of it, and when it is over; 2xx before a repair is an acknowledgement.',
    ),
  timeout: duration({ min: '100ms', max: '1m' }).default('5s'),
});

export const coordination = () =>
  z
    .object({
      hook,
      deadline: duration({ max: '1h' }).describe('How long dependants may take to acknowledge.'),
      onSilence: z.enum(['proceed', 'handOver']),
      onRefusal: z.enum(['proceed', 'handOver']),
      recoverWithin: duration({ max: '24h' }).describe(
        'How long to recover by itself once what it depends on is back.',
      ),
    })
    .partial();

export const dependsOn = () =>
  uniqueList(
    reference(
      z
        .string()
        .max(317)
        .regex(/^([-a-z0-9.]+\/)?[a-z0-9][-a-z0-9.]*$/, 'must be a name, or namespace/name'),
      {
        to: typeNamed('Kurator'),
        verbs: ['get'],
        namespace: "self.contains('/') ? self.split('/')[0] : request.namespace",
        name: "self.contains('/') ? self.split('/')[1] : self",
      },
    ),
  )
    .max(64)
    .default([])
    .describe(
      'Other Kurators that this one needs: name, or namespace/name where that one has this namespace in its dependants.',
    );

export const dependants = () =>
  z
    .object({
      from: z
        .array(
          z.object({
            namespace: z
              .string()
              .max(63)
              .regex(/^(\*|[a-z0-9]([-a-z0-9]*[a-z0-9])?)$/, 'must be a namespace, or * for all')
              .describe('Kurators of this namespace may depend on this one; * is all namespaces.'),
          }),
        )
        .max(256)
        .describe('Namespaces other than its own whose Kurators may depend on this one.'),
    })
    .describe('Who of other namespaces may depend on this one: is told of its faults, and may be waited for.');

export const maintenance = () =>
  z
    .array(
      z.object({
        cron: z.string().min(9).max(100).describe('When it begins: minute hour day month weekday.'),
        duration: duration({ min: '1m', max: '168h' }),
        timeZone: z.string().max(64).default('UTC'),
      }),
    )
    .max(16)
    .default([])
    .describe('Windows in which nothing is repaired and nobody is told; the record goes on.');

const rate = () =>
  z
    .object({
      stabilisation: duration({ max: '1h' }),
      instances: z.int32().min(1).max(1000),
      percent: z.int32().min(1).max(1000),
      every: duration({ min: '1s', max: '1h' }),
    })
    .partial();

const target = rule(
  z.object({
    cpu: z.int32().min(1).max(100).optional().describe('Percent of what a pod requests.'),
    memory: z.int32().min(1).max(100).optional().describe('Percent of what a pod requests.'),
    latency: duration({ min: '1ms', max: '10m' }).optional().describe('Of its checks.'),
    metric: z
      .object({
        name: z
          .string()
          .min(1)
          .max(253)
          .regex(/^[a-zA-Z_:][a-zA-Z0-9_:]*$/, 'must be the name of a Prometheus metric'),
        port: z.int32().min(1).max(65535),
        path: z.string().max(2048).startsWith('/', 'must begin with a slash').default('/metrics'),
        value: z.number().positive().describe('The average that each pod should have.'),
      })
      .optional()
      .describe('A number that each pod exposes.'),
  }),
  '[has(self.cpu), has(self.memory), has(self.latency), has(self.metric)].filter(given, given).size() == 1',
  'give exactly one of cpu, memory, latency and metric',
);

export const scaling = () =>
  rule(
    z.object({
      min: z.int32().min(1).max(10000).default(1),
      max: z.int32().min(1).max(10000),
      targets: z.array(target).min(1).max(8),
      tolerance: z.int32().min(0).max(100).default(10).describe('Percent of deviation that is left alone.'),
      out: rate().optional(),
      in: rate().optional(),
    }),
    'self.min <= self.max',
    'min must not be above max',
    { check: ({ min, max }) => min <= max },
  );

export const alerts = () =>
  z
    .object({
      channels: uniqueList(reference(z.string().min(1).max(253), { to: typeNamed('AlertChannel'), verbs: ['get'] }))
        .max(16)
        .describe('Names of AlertChannels in this namespace.'),
      groupWait: duration({ max: '1h' }).describe('What is not urgent waits this long, to be told together.'),
      burst: z
        .int32()
        .min(1)
        .max(100)
        .describe('Notifications for one incident in `per`; what calls on-call comes on top.'),
      per: duration({ min: '1m', max: '24h' }),
    })
    .partial();
