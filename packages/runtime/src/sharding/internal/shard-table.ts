/**
 * Who owns which shard: one table for all replicas, in which every change is one write. Nothing here does I/O, and all
 * replicas that see the same table come to the same conclusions.
 *
 * Every shard has an owner, and every owner is a member, as long as there are members at all. A shard changes hands only
 * by a write of its owner, or when the owner is found dead.
 */

/** A member's name: a new one each time that a replica joins. */
export type MemberName = string;

export interface ShardTable {
  /** Grows by one with each write. */
  readonly version: number;
  /** In alphabetical order. */
  readonly members: readonly MemberName[];
  /** By shard; undefined where there are no members. */
  readonly owners: readonly (MemberName | undefined)[];
}

export interface Move {
  readonly shard: number;
  readonly from: MemberName;
  readonly to: MemberName;
}

export function emptyTable(count: number): ShardTable {
  return { version: 0, members: [], owners: new Array(count).fill(undefined) };
}

export function shardsOf({ owners }: ShardTable, member: MemberName): number[] {
  return owners.flatMap((owner, shard) => (owner === member ? [shard] : []));
}

/** The first member gets all shards; a later one gets none yet: they are handed to it by those who have too many. */
export function withMember(table: ShardTable, member: MemberName): ShardTable {
  if (table.members.includes(member)) return table;
  const members = [...table.members, member].sort();
  return { ...table, members, owners: table.owners.map((owner) => owner ?? member) };
}

/** What they owned goes to those who have least. */
export function withoutMembers(table: ShardTable, gone: ReadonlySet<MemberName>): ShardTable {
  if (!table.members.some((member) => gone.has(member))) return table;
  const members = table.members.filter((member) => !gone.has(member));
  const counts = countsOf({ ...table, members });
  const heir = () => {
    const [least] = members.toSorted((a, b) => (counts.get(a) ?? 0) - (counts.get(b) ?? 0) || compare(a, b));
    if (least !== undefined) counts.set(least, (counts.get(least) ?? 0) + 1);
    return least;
  };
  const owners = table.owners.map((owner) => (owner !== undefined && !gone.has(owner) ? owner : heir()));
  return { ...table, members, owners };
}

export function withMoves(table: ShardTable, moves: readonly Move[]): ShardTable {
  if (moves.length === 0) return table;
  const owners = [...table.owners];
  for (const { shard, from, to } of moves) if (owners[shard] === from) owners[shard] = to;
  return { ...table, owners };
}

/**
 * The fewest moves after which no member has more than one shard more than another. Whoever has too many gives those at
 * the end, so that what was begun stays part of the plan.
 */
export function balancingMoves(table: ShardTable): Move[] {
  const targets = targetsOf(table);
  const surplus = table.members.flatMap((from) => {
    const owned = shardsOf(table, from);
    return owned.slice(targets.get(from) ?? 0).map((shard) => ({ shard, from }));
  });
  const counts = countsOf(table);
  const wanting = table.members.flatMap((member) => {
    const missing = (targets.get(member) ?? 0) - (counts.get(member) ?? 0);
    return new Array<MemberName>(Math.max(0, missing)).fill(member);
  });
  return surplus.flatMap((given, index) => {
    const to = wanting[index];
    return to === undefined ? [] : [{ ...given, to }];
  });
}

/** Those who have most keep one more, where it doesn't come out even. */
function targetsOf(table: ShardTable): Map<MemberName, number> {
  const { members, owners } = table;
  const counts = countsOf(table);
  const base = Math.floor(owners.length / members.length);
  const extra = owners.length % members.length;
  const richest = members.toSorted((a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0) || compare(a, b));
  return new Map(richest.map((member, index) => [member, index < extra ? base + 1 : base]));
}

function countsOf({ members, owners }: ShardTable): Map<MemberName, number> {
  const counts = new Map(members.map((member) => [member, 0]));
  for (const owner of owners) {
    const count = owner === undefined ? undefined : counts.get(owner);
    if (owner !== undefined && count !== undefined) counts.set(owner, count + 1);
  }
  return counts;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
