/** What people may say of members beside what a cluster is: where their pods run, and how etcd is tuned. */
import { mapOf, preserveUnknown, rule, z } from '@kurator/sdk';

const texts = () => mapOf(z.string().min(1).max(317), z.string().max(4096), { max: 64 });

const spread = () =>
  preserveUnknown(
    z.object({
      maxSkew: z.int().min(1),
      topologyKey: z.string().min(1).max(317),
      whenUnsatisfiable: z.enum(['DoNotSchedule', 'ScheduleAnyway']),
    }),
  );

/** By the names that pods have them by. Only what can't break what a member is: no containers, volumes or accounts. */
export const podTemplate = () =>
  z.object({
    metadata: z.object({ labels: texts(), annotations: texts() }).partial().optional(),
    spec: z
      .object({
        tolerations: z.array(preserveUnknown()).max(64).describe('As pods have them.'),
        affinity: preserveUnknown().describe('As pods have it.'),
        topologySpreadConstraints: z
          .array(spread())
          .max(16)
          .describe('Instead of one member on a node, and members spread over zones.'),
        priorityClassName: z.string().min(1).max(253),
        schedulerName: z.string().min(1).max(253),
        runtimeClassName: z.string().min(1).max(253),
        imagePullSecrets: z
          .array(z.object({ name: z.string().min(1).max(253) }))
          .max(16)
          .describe('Secrets of this namespace for the registry of the images.'),
      })
      .partial()
      .optional(),
  });

const between = (min: number, max: number, what: string) => z.int().min(min).max(max).describe(what);

/** Flags that may be set without harm to data; whatever else etcd has is the operator's to set. */
export const etcdOptions = () =>
  rule(
    z
      .object({
        heartbeatInterval: between(10, 10_000, 'Milliseconds between signs of life of the leader; 100 unless given.'),
        electionTimeout: between(50, 50_000, 'Milliseconds without one until another is elected; 1000 unless given.'),
        snapshotCount: between(100, 1_000_000, 'Entries of the log between two snapshots of it.'),
        maxRequestBytes: between(1024, 104_857_600, 'How long a request may be; 1.5 MiB unless given.'),
        maxTxnOps: between(1, 100_000, 'Operations in one transaction; 128 unless given.'),
        maxConcurrentStreams: between(16, 4_294_967_295, 'Streams that one client may have open.'),
        logLevel: z.enum(['debug', 'info', 'warn', 'error']),
      })
      .partial(),
    '(has(self.electionTimeout) ? self.electionTimeout : 1000) >= 5 * (has(self.heartbeatInterval) ? self.heartbeatInterval : 100)',
    'etcd does not start otherwise: electionTimeout must be at least five times heartbeatInterval',
    { check: ({ electionTimeout = 1000, heartbeatInterval = 100 }) => electionTimeout >= 5 * heartbeatInterval },
  );
