/** What the operator tells a container of its own image to do, and what it is told in return: plain data, without secrets. */
import type { Storage } from './storage-fields.ts';

/** The variable that the task is in. */
export const TASK = 'KURATOR_ETCD_TASK';
/** The argument with which the operator's program is such a container, and no operator. */
export const AGENT = 'snapshot-agent';

/** Where things are in its pods. */
export const places = {
  work: '/work',
  snapshot: '/work/snapshot.db',
  taken: '/work/taken.json',
  restored: '/work/restored',
  scratchTls: '/work/tls',
  tls: '/etc/etcd/tls',
  credentials: '/etc/etcd-backup/credentials',
  ca: '/etc/etcd-backup/ca',
  claim: '/backups',
  report: '/dev/termination-log',
} as const;

/** Where the scratch member listens: in its own pod alone. */
export const SCRATCH = 'https://127.0.0.1:2379';

/** For whom a backup is taken. */
export interface Subject {
  readonly writer: { readonly uid: string; readonly name: string; readonly namespace: string };
  readonly cluster: { readonly name: string; readonly spec: unknown };
  /** Whose data is taken: `https://HOST:2379`; a follower, if there is one. */
  readonly source: string;
  /** Whose hash it is compared with: the leader. */
  readonly witness: string;
}

export type Task =
  /** From a member into the storage. Without verification it counts from there on. */
  | {
      readonly do: 'take';
      readonly storage: Storage;
      readonly key: string;
      readonly subject: Subject;
      readonly verify: boolean;
      readonly remove: readonly string[];
    }
  /** From the storage into a file, whole and unchanged, or not at all. */
  | {
      readonly do: 'fetch';
      readonly storage: Storage;
      readonly key: string;
      readonly into: string;
      /** Whether it was taken just now, or what it is must be read beside it. */
      readonly known: 'taken' | 'written';
      readonly sha256?: string;
      /** The version of etcd that is to go on with it: of the same minor, or of a later one. */
      readonly version?: string;
      /** Folders of a data directory: if it is there nothing is fetched, since nothing may be restored over it. */
      readonly unless?: string;
      /** What a try before has left. */
      readonly clear?: string;
      /** Whether a scratch member comes after it, which needs a certificate. */
      readonly scratch?: true;
    }
  /** Compares the scratch member with the cluster, writes down what it is, and has the old ones go. */
  | {
      readonly do: 'verify';
      readonly storage: Storage;
      readonly key: string;
      readonly subject: Subject;
      readonly remove: readonly string[];
    }
  /** Says what is written beside a snapshot. */
  | { readonly do: 'read'; readonly storage: Storage; readonly key: string }
  /** Compares the scratch member with what is written beside the snapshot. */
  | { readonly do: 'check'; readonly storage: Storage; readonly key: string }
  /** Gives a restored data directory its name. */
  | { readonly do: 'settle'; readonly from: string; readonly to: string };

/** A container's last words. */
export type Report =
  | {
      readonly ok: true;
      readonly backup?: {
        readonly key: string;
        readonly revision: number;
        readonly hash: number;
        readonly size: number;
        readonly sha256: string;
        readonly takenAt: string;
        readonly verifiedAt?: string;
        readonly etcdVersion: string;
      };
      /** Keys that are gone. */
      readonly removed?: readonly string[];
      /** The cluster's own spec, if it is short enough. */
      readonly spec?: unknown;
    }
  /** `refused`: it would be the same the next time. `there`: there is data already. */
  | { readonly ok: false; readonly why: string; readonly refused?: boolean; readonly there?: boolean };

/** As much as Kubernetes keeps of them. */
export const LONGEST_REPORT = 4096;

/** What a container said, or what can be said of it. */
export function readReport(text: string | undefined): Report | undefined {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return typeof value === 'object' && value !== null && 'ok' in value ? (value as Report) : undefined;
  } catch {
    return undefined;
  }
}
