/** The kinds: what people declare of a cluster, and what they are told of it. */
import {
  duration,
  immutable,
  mapOf,
  type ObjectOf,
  quantity,
  reference,
  resource,
  resourceRequirements,
  rule,
  Secret,
  z,
} from '@kurator/sdk';
import { auth } from './access/fields.ts';
import { restoreSource } from './backups/storage-fields.ts';
import { etcdOptions, podTemplate } from './member-fields.ts';

/** A pattern, refused with what to write instead: a pattern of OpenAPI can't say that. */
function said<S extends z.ZodType<string>>(schema: S, pattern: RegExp, remedy: string): S {
  return rule(schema, `self.matches(${celText(pattern)})`, remedy, { check: (text) => pattern.test(text) });
}

/** As a text of CEL, which escapes as JSON does. */
function celText({ source }: RegExp): string {
  return JSON.stringify(source);
}

const known = /^3\.(5|6|7)\.(0|[1-9][0-9]{0,3})$/;
const minorOf = (text: string) => `int(${text}.split('.')[1])`;
const version = rule(
  rule(
    said(
      z.string().max(32).describe('The version of etcd: 3.6.8. Versions 3.5, 3.6 and 3.7 are known.'),
      known,
      'give a whole version without a v, of 3.5, 3.6 or 3.7: 3.6.8',
    ),
    // What does not fit the pattern is refused for that alone.
    `!self.matches(${celText(known)}) || (${minorOf('self')} >= ${minorOf('oldSelf')} && ${minorOf('self')} <= ${minorOf('oldSelf')} + 1)`,
    'etcd is upgraded minor by minor and never goes back: give a version of the same minor, or of the next one',
  ),
  `!oldSelf.matches('^3[.]5[.]([0-9]|1[0-9]|2[0-5])$') || !self.startsWith('3.6.')`,
  'etcd 3.5 below 3.5.26 leaves dead members in the list of 3.6: go to 3.5.26 or later first',
);

const storage = z
  .object({
    size: rule(
      quantity({ min: '32Mi' }),
      'quantity(string(self)).compareTo(quantity(string(oldSelf))) >= 0',
      "a volume can't shrink: give at least the present size, or restore a backup into a new cluster",
    )
      .default('8Gi')
      .describe('How large the volume of each member is. Can grow, never shrink.'),
    storageClassName: immutable(z.string().min(1).max(253).optional(), { settable: false }).describe(
      'The default class unless given.',
    ),
  })
  .prefault({});

const givenSecret = () => reference(z.string().min(1).max(253), { to: Secret, verbs: ['get'] });

const tls = rule(
  rule(
    z.object({
      provider: immutable(z.enum(['Auto', 'CertManager', 'Secret']).default('Auto')).describe(
        'Who makes certificates. Auto: the operator, with an authority of its own; CertManager: an issuer of cert-manager; Secret: you, in the ' +
          'Secrets that are named here.',
      ),
      issuerRef: z
        .object({
          name: z.string().min(1).max(253),
          kind: z.string().min(1).max(63).default('Issuer').describe('Issuer, of this namespace, or ClusterIssuer.'),
          group: z.string().min(1).max(253).default('cert-manager.io'),
        })
        .optional()
        .describe(
          'Of cert-manager. It must sign for the names of Services and the common names etcd-peer, client and root.',
        ),
      secret: z
        .object({
          member: givenSecret().describe(
            'A Secret with tls.crt, tls.key and ca.crt for all members: common name etcd-peer, names *.NAME.NAMESPACE.svc and localhost.',
          ),
          client: givenSecret().describe(
            'A Secret with tls.crt, tls.key and ca.crt for the operator and other clients.',
          ),
        })
        .optional(),
      authority: z
        .string()
        .max(63)
        .default('')
        .describe(
          'Another text here, such as the date, asks for another authority. It follows the present one in stages.',
        ),
      overlap: duration({ min: '1s', max: '720h' })
        .default('1h')
        .describe(
          'How long clients are given to load whom they are to believe, and then what they are to show, while authorities follow each other.',
        ),
    }),
    'has(self.secret) == (has(self.provider) && self.provider == "Secret")',
    'give secret with provider: Secret, and only then',
  ),
  'has(self.issuerRef) == (has(self.provider) && self.provider == "CertManager")',
  'give issuerRef with provider: CertManager, and only then',
).prefault({});

/** Of an EtcdCluster; an EtcdRestore has them too, for the one that it makes. */
export const clusterFields = z.object({
  size: z
    .int32()
    .min(1)
    .max(7)
    .default(3)
    .describe('How many members it has. Odd: an even one more tolerates no more losses.'),
  version,
  repository: said(
    z.string().max(255),
    /^([a-zA-Z0-9][-a-zA-Z0-9.]*(:[0-9]{1,5})?\/)?[a-z0-9]+([._/-]+[a-z0-9]+)*$/,
    'give the name of images without a tag or digest, which follow from version: quay.io/coreos/etcd',
  )
    .default('quay.io/coreos/etcd')
    .describe('Where images come from; the tag is v and the version.'),
  storage,
  tls,
  resources: rule(
    resourceRequirements(),
    '!has(self.limits) || !has(self.requests) || self.requests.all(name, !(name in self.limits) || quantity(string(self.requests[name])).compareTo(quantity(string(self.limits[name]))) <= 0)',
    'nothing can be requested beyond its limit: raise limits, or lower requests',
  )
    .optional()
    .describe('Of each member.'),
  quotaBackendBytes: z
    .int()
    .min(16_777_216)
    .max(17_179_869_184)
    .default(2_147_483_648)
    .describe('How large the database may become before writes are refused.'),
  autoCompactionRetention: duration({ min: '1m', max: '8760h' })
    .default('1h')
    .describe('For how long old revisions of keys are kept.'),
  replaceAfter: duration({ min: '10s', max: '24h' })
    .default('5m')
    .describe('How long a member that runs may give no answer before another takes its place.'),
  quorumLoss: z
    .enum(['Never', 'Recover'])
    .default('Never')
    .describe(
      'What is done once a majority of members can never come back. Never: nothing. Recover: the cluster goes on from the survivor ' +
        'that knows most; what was written after that is lost.',
    ),
  defragmentation: z
    .object({
      schedule: z
        .string()
        .min(9)
        .max(100)
        .regex(/^[^\s]+(\s+[^\s]+){4}$/)
        .describe(
          'When members are defragmented, one after the other: minute hour day month weekday, in UTC, such as 0 3 * * 0.',
        ),
    })
    .optional(),
  nodeSelector: mapOf(
    z.string().min(1).max(317),
    said(
      z.string().max(63),
      /^([a-zA-Z0-9]([-._a-zA-Z0-9]*[a-zA-Z0-9])?)?$/,
      'give the value of a label: letters, digits, dashes, dots and underscores, at most 63',
    ),
    { max: 32 },
  ).optional(),
  podTemplate: podTemplate()
    .optional()
    .describe('What the pods of members have beside: labels, annotations, and where they may run.'),
  etcdOptions: etcdOptions().optional().describe('How etcd is tuned; all else follows from the other fields.'),
  auth: auth()
    .optional()
    .describe('Users and roles. With it etcd asks everybody who he is; a certificate alone is not enough.'),
  bootstrap: immutable(z.object({ restore: restoreSource() }), { settable: false })
    .optional()
    .describe('What its data begins with. An EtcdRestore sets it, once it has looked at the snapshot.'),
  paused: z.boolean().default(false).describe('Watches, and changes nothing.'),
});

const member = z.object({
  name: z.string().describe('Of its pod and its claim.'),
  id: z.string().describe('As etcd calls it, in hexadecimal digits.').optional(),
  state: z.enum(['Seed', 'Joining', 'Member', 'Restarting', 'Leaving']),
  reason: z.string().describe('Why it is in this state.').optional(),
  healthy: z.boolean(),
  unhealthySince: z.iso.datetime().optional(),
  leader: z.boolean().optional(),
  version: z.string().optional(),
  dbSize: z.int().describe('Of its database, in bytes: whole mebibytes.').optional(),
  dbSizeInUse: z.int().describe('What of that holds keys; the rest goes when it is defragmented.').optional(),
  unconfirmed: z.boolean().describe('The status was lost, and quorum has not said since whether it votes.').optional(),
  keepVolume: z.boolean().describe('Its volume stays when it has left, and is nobody’s.').optional(),
});

const maintenance = z
  .object({
    reason: z.enum(['NoSpace', 'Request']),
    request: z.string().optional(),
    compacted: z.boolean(),
    done: z.array(z.string()).max(32).describe('Members that are defragmented.'),
    startedAt: z.iso.datetime(),
    finishedAt: z.iso.datetime().optional(),
  })
  .describe('How room was made in the database: last, or just now.');

const recovery = z
  .object({
    stage: z.enum(['Forcing', 'Restarting', 'Done']),
    survivor: z.string().describe('The member that the cluster goes on from.'),
    revision: z.int().describe('Of the last write that it has.'),
    index: z.int().describe('Of the last entry of the log that it knows to be committed.'),
    lost: z.array(z.string()).max(32).describe('Members whose data is gone.'),
    leftBehind: z
      .array(z.string())
      .max(32)
      .describe('Members whose data was there, and went no further: their volumes are kept under these names.'),
    startedAt: z.iso.datetime(),
    mayBeLost: z.string(),
  })
  .describe('How the cluster went on when a majority of its members was gone.');

const access = z
  .object({
    roles: z.array(z.string()).max(64),
    users: z
      .array(
        z.object({
          name: z.string(),
          password: z.string().describe('The version of the Secret that etcd was last told it from.').optional(),
        }),
      )
      .max(64),
  })
  .describe('The users and roles that this operator has made.');

/** A cluster of etcd. */
export const EtcdCluster = resource({
  group: 'etcd.kurator.sh',
  version: 'v1alpha1',
  kind: 'EtcdCluster',
  shortNames: ['etcd'],
  categories: ['all'],
  description: 'A cluster of etcd that replaces its members.',
  // With a dash and ten letters a member's name is the host name of its pod, which has 63 at most. Services bear it too.
  name: z
    .string()
    .max(52)
    .regex(/^[a-z]([-a-z0-9]*[a-z0-9])?$/),
  spec: rule(
    clusterFields,
    '!has(self.auth) || !has(self.tls) || !has(self.tls.provider) || self.tls.provider != "Secret"',
    'auth needs certificates for root: give tls.provider Auto or CertManager',
  ),
  status: z.object({
    phase: z.enum(['Creating', 'Running', 'Changing', 'Degraded', 'QuorumLost', 'Paused']),
    size: z.int().describe('How many members vote.'),
    ready: z.string().describe('Healthy members of those that are wanted: 3/3.'),
    selector: z.string(),
    clusterId: z.string().describe('As etcd calls it. Once it is here the cluster has data, and is never begun anew.'),
    currentVersion: z.string().describe('What every member runs.'),
    leader: z.string(),
    step: z.string().describe('What is being done, or waited for, and why.'),
    members: z.array(member).max(32),
    recovery: recovery.optional(),
    maintenance: maintenance.optional(),
    auth: access.optional(),
  }),
  columns: {
    Ready: '.status.ready',
    Version: '.status.currentVersion',
    Phase: '.status.phase',
    Age: { path: '.metadata.creationTimestamp', type: 'date' },
    Leader: { path: '.status.leader', priority: 1 },
    Step: { path: '.status.step', priority: 1 },
  },
  scale: { specReplicas: '.spec.size', statusReplicas: '.status.size', selector: '.status.selector' },
});
export type EtcdCluster = ObjectOf<typeof EtcdCluster>;
