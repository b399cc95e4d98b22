/** Where snapshots are kept: a bucket of S3, or a folder on a claim. The same fields in every kind that names such a place. */
import { PersistentVolumeClaim, reference, rule, Secret, z } from '@kurator/sdk';

/** Folders with slashes between them: none of them hidden, none of them `..`. */
const FOLDERS = /^([A-Za-z0-9_][A-Za-z0-9._-]*(\/[A-Za-z0-9_][A-Za-z0-9._-]*)*\/?)?$/;
const objectName = () => z.string().min(1).max(253);

const s3 = z.object({
  endpoint: z
    .string()
    .max(253)
    .regex(/^https?:\/\/[^\s/?#@]+(\/[^\s?#@]*)?$/)
    .optional()
    .describe('As https://s3.example.com; that of AWS in the region unless given.'),
  bucket: z
    .string()
    .min(3)
    .max(255)
    .regex(/^[a-zA-Z0-9][a-zA-Z0-9._-]*[a-zA-Z0-9]$/),
  prefix: z.string().max(255).regex(FOLDERS).default('').describe('Folders in the bucket, such as backups/etcd.'),
  region: z
    .string()
    .max(64)
    .regex(/^[a-z0-9-]+$/)
    .default('us-east-1'),
  credentialsSecret: reference(objectName(), { to: Secret, verbs: ['get'] }).describe(
    'A Secret of this namespace with accessKeyId and secretAccessKey, and sessionToken if there is one.',
  ),
  caSecret: reference(objectName(), { to: Secret, verbs: ['get'] })
    .optional()
    .describe('A Secret of this namespace with ca.crt: whom to believe instead of the authorities of the system.'),
});

const volume = z.object({
  claimName: reference(objectName(), { to: PersistentVolumeClaim, verbs: ['get'] }).describe(
    'A claim of this namespace.',
  ),
  path: z.string().max(255).regex(FOLDERS).default('').describe('A folder on it, such as backups/etcd.'),
});

/** Either of both. */
export const storage = () =>
  rule(
    z.object({ s3: s3.optional(), volume: volume.optional() }),
    'has(self.s3) != has(self.volume)',
    'give either s3 or volume',
    { check: (given) => (given.s3 === undefined) !== (given.volume === undefined) },
  );
/** As the API server keeps it. */
export interface Storage {
  s3?: {
    endpoint?: string;
    bucket: string;
    prefix: string;
    region: string;
    credentialsSecret: string;
    caSecret?: string;
  };
  volume?: { claimName: string; path: string };
}

/** What a snapshot is called there, without its folders' prefix and without `.db`. */
export const backupKey = () =>
  z
    .string()
    .min(1)
    .max(512)
    .regex(/^[A-Za-z0-9_][A-Za-z0-9._-]*(\/[A-Za-z0-9_][A-Za-z0-9._-]*)*$/);

/** One backup, to be restored. */
export const restoreSource = () =>
  z.object({
    storage: storage(),
    key: backupKey().describe('As in status.backups of an EtcdBackup.'),
    sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .optional()
      .describe('What the snapshot must be, beside what is written next to it.'),
  });
