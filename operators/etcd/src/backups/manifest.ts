/** What is written beside a snapshot: what it is, whose, and how the cluster was that it is of. */
import { z } from '@kurator/sdk';
import { Refusal } from './refusal.ts';

const FORMAT = 'etcd.kurator.sh/backup';
/** Longer ones are none. */
export const LONGEST_MANIFEST = 1_048_576;

const manifest = z.object({
  format: z.literal(FORMAT),
  formatVersion: z.literal(1),
  key: z.string().min(1).max(1024),
  size: z.int().min(1),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  revision: z.int().min(1),
  hash: z.int().min(0).max(4_294_967_295),
  compactRevision: z.int(),
  etcdVersion: z.string().regex(/^3\.\d{1,3}\.\d{1,4}$/),
  takenAt: z.iso.datetime(),
  verifiedAt: z.iso.datetime().optional(),
  writer: z.object({ uid: z.string(), name: z.string(), namespace: z.string() }),
  cluster: z.object({ name: z.string(), spec: z.record(z.string(), z.unknown()) }),
});
export type BackupManifest = z.output<typeof manifest>;

export const writeManifest = (fields: Omit<BackupManifest, 'format' | 'formatVersion'>): Buffer =>
  Buffer.from(`${JSON.stringify({ format: FORMAT, formatVersion: 1, ...fields }, undefined, 2)}\n`);

/** @throws A refusal that says what is wrong with it. */
export function readManifest(text: string, key: string): BackupManifest {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new Refusal(`${key}.json is not JSON: it is not what this operator has written`, { cause });
  }
  const { data, error } = manifest.safeParse(value);
  if (!data) {
    const [issue] = error.issues;
    throw new Refusal(`${key}.json is not of a backup of this operator: ${issue?.path.join('.')}: ${issue?.message}`);
  }
  return data;
}

/** A version can go on with the data of its own minor, and of earlier ones. */
export function checkVersion(version: string, { etcdVersion }: Pick<BackupManifest, 'etcdVersion'>): void {
  const minor = (text: string) => Number(text.split('.')[1]);
  if (minor(version) >= minor(etcdVersion)) return;
  throw new Refusal(
    `it is of etcd ${etcdVersion}, which ${version} can't read: give a version of the same minor, or a later one`,
  );
}
