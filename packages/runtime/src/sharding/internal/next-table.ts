/** What one replica would have the table be. Pure, like the table itself. */
import {
  balancingMoves,
  emptyTable,
  type MemberName,
  type Move,
  type ShardTable,
  withMember,
  withMoves,
  withoutMembers,
} from './shard-table.ts';

export interface Circumstances {
  readonly me: MemberName;
  /** Members that can't act any more, nor ever will. */
  readonly dead: ReadonlySet<MemberName>;
  /** How many shards there should be. */
  readonly shards: number;
  /** Those for which nothing is under way. */
  readonly drained: readonly number[];
  isAlive(member: MemberName): boolean;
}

export interface Improvement {
  /** The same object, if there is nothing to improve. */
  readonly next: ShardTable;
  /** What this replica has too much of. */
  readonly surplus: readonly number[];
  /** What of that can be handed over now, and is in `next`. */
  readonly released: readonly number[];
}

/** With this replica in it, without the dead, and with what it can hand over to those who have too little. */
export function improved(table: ShardTable, { me, dead, shards, drained, isAlive }: Circumstances): Improvement {
  const settled = withoutMembers(withMember(recounted(table, shards), me), dead);
  const moves = balancingMoves(settled).filter(({ from, to }) => from === me && isAlive(to));
  const made = moves.filter(({ shard }) => drained.includes(shard));
  return { next: withMoves(settled, made), surplus: moves.map(shardOfMove), released: made.map(shardOfMove) };
}

/** Without this replica, as far as it can go: it stays a member for the shards that it has to keep. */
export function bequeathed(table: ShardTable, me: MemberName, kept: ReadonlySet<number>): ShardTable {
  const heirs = withoutMembers(table, new Set([me]));
  if (kept.size === 0 || heirs === table) return heirs;
  return { ...table, owners: heirs.owners.map((owner, shard) => (kept.has(shard) ? me : owner)) };
}

/** The number of shards can be changed only while nobody has any. */
function recounted(table: ShardTable, shards: number): ShardTable {
  if (table.members.length > 0 || table.owners.length === shards) return table;
  return { ...emptyTable(shards), version: table.version };
}

function shardOfMove({ shard }: Move): number {
  return shard;
}
