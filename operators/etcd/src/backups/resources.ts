/** The kinds: what is backed up when and to where, and what is made of a backup. */
import { immutable, type ObjectOf, resource, rule, z } from '@kurator/sdk';
import { clusterFields } from '../resources.ts';
import { CRON } from './schedule.ts';
import { backupKey, storage } from './storage-fields.ts';

const objectName = () => z.string().min(1).max(253);

const backedUp = z.object({
  key: z.string().describe('What it is called in the storage: KEY.db is the snapshot, KEY.json what is known of it.'),
  revision: z.int().describe('The last revision of etcd that is in it.'),
  hash: z.int().describe("etcd's HashKV of that revision."),
  size: z.int(),
  takenAt: z.iso.datetime(),
  verifiedAt: z.iso.datetime().optional().describe('When it was restored, and its hash was that of the cluster.'),
});

/** Snapshots of a cluster, one or by a schedule. */
export const EtcdBackup = resource({
  group: 'etcd.kurator.sh',
  version: 'v1alpha1',
  kind: 'EtcdBackup',
  categories: ['all'],
  description: 'Snapshots of an EtcdCluster, each restored and compared before it counts.',
  // A pod is named after it, with a dash and six letters.
  name: z.string().max(52),
  spec: z.object({
    cluster: immutable(objectName()).describe('An EtcdCluster of this namespace.'),
    storage: immutable(storage()),
    schedule: rule(
      z.string().max(64),
      `self.matches('${CRON}')`,
      "write 'minute hour day month weekday', such as '0 3 * * *'",
      { check: (text) => new RegExp(CRON).test(text) },
    )
      .optional()
      .describe('When, in UTC. Once, and at once, unless given.'),
    maxBackups: z.int32().min(1).max(100).default(7).describe('How many are kept; the oldest go.'),
    verify: z.boolean().default(true).describe('Restores each into a scratch member and compares its hash.'),
    paused: z.boolean().default(false).describe('Begins none.'),
  }),
  status: z.object({
    phase: z.enum(['Waiting', 'Running', 'Scheduled', 'Succeeded', 'Failed', 'Paused']),
    step: z.string().describe('What is being done, or waited for, and why.'),
    lastBackup: z.string().describe('The key of the newest one that counts.'),
    lastBackupTime: z.iso.datetime(),
    nextBackupTime: z.iso.datetime(),
    lastRevision: z.int(),
    backups: z.array(backedUp).max(101),
    run: z
      .object({
        key: z.string(),
        pod: z.string(),
        startedAt: z.iso.datetime(),
        remove: z.array(z.string()).max(202).describe('What goes once this one counts.'),
      })
      .describe('The one that is under way; written down before anything is done.'),
    leftovers: z.array(z.string()).max(101).describe('Keys of those that failed: what there is of them goes later.'),
    failures: z.int().describe('How many failed since the last that counts.'),
    lastFailure: z.object({ at: z.iso.datetime(), why: z.string() }),
    lastStarted: z.iso.datetime(),
  }),
  columns: {
    Cluster: '.spec.cluster',
    Phase: '.status.phase',
    Revision: '.status.lastRevision',
    Last: { path: '.status.lastBackupTime', type: 'date' },
    Age: { path: '.metadata.creationTimestamp', type: 'date' },
    Step: { path: '.status.step', priority: 1 },
  },
});
export type EtcdBackup = ObjectOf<typeof EtcdBackup>;

const source = rule(
  z.object({
    backup: objectName().optional().describe('An EtcdBackup of this namespace: its newest one that counts.'),
    revision: z.int().min(1).optional().describe("Of the backup's: the newest that is not later than this."),
    storage: storage().optional(),
    key: backupKey().optional().describe('Which one. Of a backup the newest unless given.'),
  }),
  'has(self.backup) != has(self.storage)',
  'give either backup, or storage and key',
  { check: ({ backup, storage }) => (backup === undefined) !== (storage === undefined) },
);

const chosen = rule(
  source,
  '!has(self.storage) || (has(self.key) && !has(self.revision))',
  'with storage give the key, and no revision',
  { check: ({ storage, key, revision }) => !storage || (key !== undefined && revision === undefined) },
);

/** A new cluster, with what is in a backup. */
export const EtcdRestore = resource({
  group: 'etcd.kurator.sh',
  version: 'v1alpha1',
  kind: 'EtcdRestore',
  categories: ['all'],
  description: 'Makes a new EtcdCluster of a backup, which is looked at before anything is made.',
  name: z.string().max(52),
  spec: z.object({
    cluster: immutable(
      z.object({
        name: z.string().min(1).max(52).describe('Of the new EtcdCluster. There must be none of this name.'),
        spec: clusterFields
          .omit({ bootstrap: true })
          .optional()
          .describe('That of the backed up cluster unless given.'),
      }),
    ),
    source: immutable(chosen),
  }),
  status: z.object({
    phase: z.enum(['Waiting', 'Checking', 'Restoring', 'Succeeded', 'Refused']),
    why: z.string().describe('What is being done, or waited for, or why not.'),
    source: z.object({ storage: storage(), key: z.string() }).describe('What was chosen; it stays so.'),
    checked: z.object({ revision: z.int(), hash: z.int(), size: z.int(), sha256: z.string(), takenAt: z.string() }),
    failures: z.int(),
    lastFailed: z.iso.datetime(),
  }),
  columns: {
    Cluster: '.spec.cluster.name',
    Phase: '.status.phase',
    Why: '.status.why',
    Age: { path: '.metadata.creationTimestamp', type: 'date' },
  },
});
export type EtcdRestore = ObjectOf<typeof EtcdRestore>;
