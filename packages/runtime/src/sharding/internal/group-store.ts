/**
 * What the replicas of a group share on the API server, all of it Leases with one label: the table of shards, in an
 * annotation of the Lease that has the group's name; and for each member a Lease that it renews.
 */
import { type Client, isNotFound, Lease, type RequestOptions } from '@kurator/client';
import { RuntimeError } from '../../error.ts';
import {
  type LeaseRecord,
  type LeaseStore,
  leaseStore,
  recordOf,
  type StoredLease,
} from '../../leadership/lease-store.ts';
import type { MemberName, ShardTable } from './shard-table.ts';

/** The table with what is needed to replace it, and only it. */
export interface StoredTable {
  readonly table: ShardTable;
  /** Of the Lease: a table that was deleted and made anew is another. */
  readonly uid: string;
  readonly lease: Lease;
}

/** Everything that a group has. */
export interface GroupSnapshot {
  readonly table: StoredTable | undefined;
  readonly members: ReadonlyMap<MemberName, LeaseRecord>;
}

export type GroupChange =
  | { readonly type: 'table'; readonly stored: StoredTable | undefined }
  | { readonly type: 'member'; readonly name: MemberName; readonly record: LeaseRecord | undefined };

/** Each method but `changes` is one request; failures are ClientErrors. Reads see all writes that were answered before. */
export interface GroupStore {
  list(options: RequestOptions): Promise<GroupSnapshot>;
  readTable(options: RequestOptions): Promise<StoredTable | undefined>;
  /** Fails with AlreadyExists when someone else was quicker. */
  createTable(table: ShardTable, options: RequestOptions): Promise<StoredTable>;
  /** Fails with Conflict when someone else has written since. */
  replaceTable(stored: StoredTable, table: ShardTable, options: RequestOptions): Promise<StoredTable>;
  member(name: MemberName): LeaseStore;
  /** Deletes a member's Lease, as long as it is as it was read. */
  removeMember(name: MemberName, stored: StoredLease, options: RequestOptions): Promise<void>;
  /** All there is, then what happens, until the connection ends. */
  changes(signal: AbortSignal): AsyncIterable<GroupChange>;
}

const groupLabel = 'kurator.dev/sharding';
const tableAnnotation = 'kurator.dev/shards';

// Replicas that don't mean the same by it must not share a group: each would think that a key is its own.
const FORMAT = 1;

interface WrittenTable {
  readonly format: number;
  readonly count: number;
  readonly members: Readonly<Record<MemberName, readonly number[]>>;
}

export function groupStore(client: Client, group: string, namespace: string): GroupStore {
  const once = { retries: 0 };
  const labels = { [groupLabel]: group };
  const selection = { namespace, labelSelector: `${groupLabel}=${group}` };
  const reference = { name: group, namespace };
  const prefix = `${group}.`;
  const leaseNameOf = (member: MemberName) => prefix + member;
  const memberOf = ({ metadata }: Lease) =>
    metadata.name.startsWith(prefix) ? metadata.name.slice(prefix.length) : undefined;
  const changeOf = (lease: Lease, gone: boolean): GroupChange | undefined => {
    if (lease.metadata.name === group) return { type: 'table', stored: gone ? undefined : storedTable(lease) };
    const name = memberOf(lease);
    return name === undefined ? undefined : { type: 'member', name, record: gone ? undefined : recordOf(lease) };
  };

  return {
    async list(options) {
      const { items } = await client.list(Lease, { ...selection, ...options, ...once });
      return snapshotOf(items.flatMap((lease) => changeOf(lease, false) ?? []));
    },

    async readTable(options) {
      const lease = await client.find(Lease, reference, { ...options, ...once });
      return lease && storedTable(lease);
    },

    createTable: async (table, options) =>
      storedTable(
        await client.create(
          Lease,
          { metadata: { ...reference, labels, annotations: written(table) }, spec: specOf(table) },
          { ...options, ...once },
        ),
      ),

    async replaceTable({ lease }, table, options) {
      const { annotations, labels: others } = lease.metadata;
      const metadata = {
        ...lease.metadata,
        labels: { ...others, ...labels },
        annotations: { ...annotations, ...written(table) },
      };
      const replaced = { ...lease, metadata, spec: { ...lease.spec, ...specOf(table) } };
      return storedTable(await client.replace(Lease, replaced, { ...options, ...once }));
    },

    member: (name) => leaseStore(client, { name: leaseNameOf(name), namespace }, labels),

    async removeMember(name, { lease }, options) {
      const { uid = '', resourceVersion = '' } = lease.metadata;
      const preconditions = { uid, resourceVersion };
      try {
        await client.delete(Lease, { name: leaseNameOf(name), namespace }, { ...options, ...once, preconditions });
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    },

    async *changes(signal) {
      const { items, metadata } = await client.list(Lease, { ...selection, signal });
      yield* items.flatMap((lease) => changeOf(lease, false) ?? []);
      const resourceVersion = metadata.resourceVersion ?? '';
      for await (const event of client.watch(Lease, { ...selection, resourceVersion, signal })) {
        if (event.type === 'BOOKMARK') continue;
        const change = changeOf(event.object, event.type === 'DELETED');
        if (change) yield change;
      }
    },
  };
}

function snapshotOf(changes: readonly GroupChange[]): GroupSnapshot {
  let table: StoredTable | undefined;
  const members = new Map<MemberName, LeaseRecord>();
  for (const change of changes) {
    if (change.type === 'table') table = change.stored;
    else if (change.record) members.set(change.name, change.record);
  }
  return { table, members };
}

/** So that `kubectl get leases` shows how often it changed. */
function specOf({ version }: ShardTable): NonNullable<Lease['spec']> {
  return { leaseTransitions: version };
}

function written(table: ShardTable): Record<string, string> {
  const owned = (member: MemberName) => table.owners.flatMap((owner, shard) => (owner === member ? [shard] : []));
  const members = Object.fromEntries(table.members.map((member) => [member, owned(member)]));
  const text: WrittenTable = { format: FORMAT, count: table.owners.length, members };
  return { [tableAnnotation]: JSON.stringify(text) };
}

export function storedTable(lease: Lease): StoredTable {
  const { uid = '', annotations, name, namespace } = lease.metadata;
  const { count, members } = parsed(annotations?.[tableAnnotation], `${namespace}/${name}`);
  const owners = new Array<MemberName | undefined>(count).fill(undefined);
  for (const [member, shards] of Object.entries(members)) for (const shard of shards) owners[shard] = member;
  const version = lease.spec?.leaseTransitions ?? 0;
  return { uid, lease, table: { version, members: Object.keys(members).sort(), owners } };
}

function parsed(text: string | undefined, lease: string): WrittenTable {
  let found: Partial<WrittenTable> = {};
  try {
    found = JSON.parse(text ?? '{}') as Partial<WrittenTable>;
  } catch {
    // Said below.
  }
  const { format, count, members } = found;
  if (format === FORMAT && Number.isInteger(count) && members) return found as WrittenTable;
  const message = `the Lease ${lease} has no table of shards that this version understands`;
  throw new RuntimeError('KUR_RUNTIME_BAD_SHARD_TABLE', message, {
    remedy: 'give the group a name that no other Lease has; replicas of versions that differ in this need two groups',
  });
}
