/**
 * A simulated world for sharding: one server that has a group's table and the Leases of its members, and machines that
 * reach it over a bad network, with clocks that differ, and that freeze, sleep or die at any time. See lease-world.ts.
 */
import { ClientError, type Lease } from '@kurator/client';
import type { LeaseRecord, LeaseStore, StoredLease } from '../../src/leadership/lease-store.ts';
import type { GroupChange, GroupStore, StoredTable } from '../../src/sharding/internal/group-store.ts';
import type { ShardTable } from '../../src/sharding/internal/shard-table.ts';
import { exchange, failure, hearing, LeaseServer, type Machine } from './lease-world.ts';

const WATCH_LENGTH = 15_000;

/** Executes one request at a time, in the order of their arrival. */
export class GroupServer {
  readonly network: LeaseServer;
  readonly #watchers = new Set<(change: GroupChange) => void>();
  readonly #members = new Map<string, StoredLease>();
  #table: StoredTable | undefined;
  #versions = 0;
  /** How often the table was written. */
  tableWrites = 0;
  /** How often the Lease of a member was written. */
  leaseWrites = 0;

  constructor(random: () => number) {
    this.network = new LeaseServer(random);
  }

  get table(): StoredTable | undefined {
    return this.#table;
  }

  get members(): string[] {
    return [...this.#members.keys()];
  }

  deleteTable(): void {
    if (!this.#table) return;
    this.#table = undefined;
    this.#tell({ type: 'table', stored: undefined });
  }

  deleteMember(name: string): void {
    if (this.#members.delete(name)) this.#tell({ type: 'member', name, record: undefined });
  }

  putTable(table: ShardTable, before: StoredTable | undefined): StoredTable {
    if (!before && this.#table) throw failure('KUR_CLIENT_ALREADY_EXISTS');
    if (before && !this.#table) throw failure('KUR_CLIENT_NOT_FOUND');
    if (before && versionOf(before) !== versionOf(this.#table)) throw failure('KUR_CLIENT_CONFLICT');
    this.tableWrites++;
    this.#table = { table, uid: before?.uid ?? `uid-${this.#versions}`, lease: this.#newLease() };
    this.#tell({ type: 'table', stored: this.#table });
    return this.#table;
  }

  putMember(name: string, record: LeaseRecord, before: StoredLease | undefined): StoredLease {
    const found = this.#members.get(name);
    if (!before && found) throw failure('KUR_CLIENT_ALREADY_EXISTS');
    if (before && !found) throw failure('KUR_CLIENT_NOT_FOUND');
    if (before && versionOf(before) !== versionOf(found)) throw failure('KUR_CLIENT_CONFLICT');
    this.leaseWrites++;
    const stored = { record, lease: this.#newLease() };
    this.#members.set(name, stored);
    this.#tell({ type: 'member', name, record });
    return stored;
  }

  removeMember(name: string, before: StoredLease): void {
    const found = this.#members.get(name);
    if (found && versionOf(found) !== versionOf(before)) throw failure('KUR_CLIENT_CONFLICT');
    this.deleteMember(name);
  }

  member(name: string): StoredLease | undefined {
    return this.#members.get(name);
  }

  watch(watcher: (change: GroupChange) => void): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  everything(): GroupChange[] {
    const members = Array.from(this.#members, ([name, { record }]) => ({ type: 'member' as const, name, record }));
    return [{ type: 'table', stored: this.#table }, ...members];
  }

  #newLease(): Lease {
    return { apiVersion: '', kind: '', metadata: { name: '', resourceVersion: String(++this.#versions) } };
  }

  #tell(change: GroupChange): void {
    for (const watcher of this.#watchers) watcher(change);
  }
}

/** How a machine reaches the server. */
export function groupStoreOn(machine: Machine, server: GroupServer): GroupStore {
  const ask = <T>(execute: () => T, options: Parameters<typeof exchange>[3]) =>
    exchange(machine, server.network, execute, options);
  const member = (name: string): LeaseStore => ({
    read: (options) => ask(() => server.member(name), options),
    create: (record, options) => ask(() => server.putMember(name, record, undefined), options),
    replace: (before, record, options) => ask(() => server.putMember(name, record, before), options),
    changes: () => {
      throw new ClientError('KUR_CLIENT_UNSUPPORTED', 'nobody watches a single one');
    },
  });
  return {
    member,
    list: (options) =>
      ask(() => {
        const members = server.members.map((name) => [name, server.member(name)?.record] as const);
        return { table: server.table, members: new Map(members as [string, LeaseRecord][]) };
      }, options),
    readTable: (options) => ask(() => server.table, options),
    createTable: (table, options) => ask(() => server.putTable(table, undefined), options),
    replaceTable: (before, table, options) => ask(() => server.putTable(table, before), options),
    removeMember: (name, before, options) => ask(() => server.removeMember(name, before), options),
    // All there is, then what happens, until the server has enough.
    async *changes(signal) {
      yield* await ask(() => server.everything(), { signal, timeout: 5_000 });
      const over = new AbortController();
      machine.setTimeout(() => over.abort(), WATCH_LENGTH);
      const either = AbortSignal.any([signal, over.signal]);
      yield* hearing(machine, server.network, (watcher) => server.watch(watcher), either);
    },
  };
}

function versionOf(stored: { readonly lease: Lease } | undefined): string | undefined {
  return stored?.lease.metadata.resourceVersion;
}
