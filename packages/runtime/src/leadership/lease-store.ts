/** The one Lease that an election is about, as the API server has it. */
import { type Client, Lease, type ObjectReference, type RequestOptions } from '@kurator/client';

/** What an election writes into a Lease; an empty holder means that it was given back. */
export interface LeaseRecord {
  readonly holderIdentity: string;
  readonly leaseDurationSeconds: number;
  readonly leaseTransitions: number;
  /** RFC 3339 with microseconds. */
  readonly acquireTime: string;
  /** RFC 3339 with microseconds. */
  readonly renewTime: string;
}

/** A record with what is needed to replace it, and only it. */
export interface StoredLease {
  readonly record: LeaseRecord;
  readonly lease: Lease;
}

/** Each method is one request; failures are ClientErrors. */
export interface LeaseStore {
  read(options: RequestOptions): Promise<StoredLease | undefined>;
  /** Fails with AlreadyExists when someone else was quicker. */
  create(record: LeaseRecord, options: RequestOptions): Promise<StoredLease>;
  /** Fails with Conflict when someone else has written since. */
  replace(stored: StoredLease, record: LeaseRecord, options: RequestOptions): Promise<StoredLease>;
  /** What it becomes from now on, until the connection ends; undefined for its deletion. */
  changes(signal: AbortSignal): AsyncIterable<LeaseRecord | undefined>;
}

/** @param labels What a Lease that has to be created gets. */
export function leaseStore(
  client: Client,
  reference: ObjectReference,
  labels?: Readonly<Record<string, string>>,
): LeaseStore {
  const { name, namespace } = reference;
  // An election has its own idea of when to try again.
  const once = { retries: 0 };
  const metadata = { name, ...(namespace && { namespace }), ...(labels && { labels }) };
  const manifest = (spec: LeaseRecord) => ({ metadata, spec });
  return {
    async read(options) {
      const lease = await client.find(Lease, reference, { ...options, ...once });
      return lease && stored(lease);
    },

    create: async (record, options) => stored(await client.create(Lease, manifest(record), { ...options, ...once })),

    // What others put there (labels, a strategy) stays.
    replace: async ({ lease }, record, options) =>
      stored(await client.replace(Lease, { ...lease, spec: { ...lease.spec, ...record } }, { ...options, ...once })),

    async *changes(signal) {
      const options = { namespace, fieldSelector: `metadata.name=${name}`, signal };
      for await (const event of client.watch(Lease, options)) {
        if (event.type !== 'BOOKMARK') yield event.type === 'DELETED' ? undefined : recordOf(event.object);
      }
    },
  };
}

function stored(lease: Lease): StoredLease {
  return { lease, record: recordOf(lease) };
}

/** What an election reads of a Lease. */
export function recordOf({ spec = {} }: Lease): LeaseRecord {
  return {
    holderIdentity: spec.holderIdentity ?? '',
    leaseDurationSeconds: spec.leaseDurationSeconds ?? 0,
    leaseTransitions: spec.leaseTransitions ?? 0,
    acquireTime: spec.acquireTime ?? '',
    renewTime: spec.renewTime ?? '',
  };
}
