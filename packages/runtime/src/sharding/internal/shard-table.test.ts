import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  balancingMoves,
  emptyTable,
  type MemberName,
  type ShardTable,
  shardsOf,
  withMember,
  withMoves,
  withoutMembers,
} from './shard-table.ts';

const name = fc.stringMatching(/^[a-z]{1,6}$/);
const names = fc.uniqueArray(name, { minLength: 1, maxLength: 12 });
const shardCount = fc.integer({ min: 1, max: 200 });

/** Any table that can come about: members join and go, and some of the moves are made in between. */
const table: fc.Arbitrary<ShardTable> = fc
  .tuple(shardCount, names, fc.array(fc.record({ goes: fc.nat(), moves: fc.nat(), comes: name }), { maxLength: 6 }))
  .map(([count, first, events]) => {
    let now = first.reduce(withMember, emptyTable(count));
    for (const { goes, moves, comes } of events) {
      const gone = now.members[goes % now.members.length];
      if (now.members.length > 1 && gone !== undefined) now = withoutMembers(now, new Set([gone]));
      now = withMember(now, comes);
      now = withMoves(now, balancingMoves(now).slice(0, moves));
    }
    return now;
  });

const sizes = (of: ShardTable) => of.members.map((member) => shardsOf(of, member).length);
const balanced = (of: ShardTable) => withMoves(of, balancingMoves(of));
const moved = (before: ShardTable, after: ShardTable) =>
  before.owners.filter((owner, shard) => owner !== after.owners[shard]).length;

function expectSound({ members, owners }: ShardTable): void {
  expect(members).toEqual([...new Set(members)].sort());
  expect(owners.every((owner) => owner !== undefined && members.includes(owner))).toBe(true);
}

describe('a table of shards', () => {
  it('always has one owner for each shard, and only members as owners', () => {
    fc.assert(fc.property(table, (of) => expectSound(of)));
  });

  it('is balanced to within one shard by its moves, and needs none after that', () => {
    fc.assert(
      fc.property(table, (of) => {
        const after = balanced(of);
        expectSound(after);
        expect(Math.max(...sizes(after)) - Math.min(...sizes(after))).toBeLessThanOrEqual(1);
        expect(balancingMoves(after)).toEqual([]);
      }),
    );
  });

  it('needs as few moves as can be: each takes from one who has too many and gives to one who has too few', () => {
    fc.assert(
      fc.property(table, (of) => {
        const [least, most] = [
          Math.floor(of.owners.length / of.members.length),
          Math.ceil(of.owners.length / of.members.length),
        ];
        const tooMany = sizes(of).reduce((sum, size) => sum + Math.max(0, size - most), 0);
        const tooFew = sizes(of).reduce((sum, size) => sum + Math.max(0, least - size), 0);
        expect(balancingMoves(of)).toHaveLength(Math.max(tooMany, tooFew));
      }),
    );
  });

  it('comes to rest whatever moves are made first, and moves no shard twice', () => {
    fc.assert(
      fc.property(table, fc.array(fc.nat(), { minLength: 1, maxLength: 50 }), (of, choices) => {
        const movedShards = new Set<number>();
        let now = of;
        for (let step = 0; ; step++) {
          const moves = balancingMoves(now);
          const move = moves[(choices[step % choices.length] ?? 0) % Math.max(1, moves.length)];
          if (!move) break;
          expect(movedShards.has(move.shard)).toBe(false);
          movedShards.add(move.shard);
          now = withMoves(now, [move]);
        }
        expect(movedShards.size).toBe(balancingMoves(of).length);
      }),
    );
  });

  it('moves to a new member no more than its share, and nothing between the others', () => {
    fc.assert(
      fc.property(table, name, (of, comes) => {
        fc.pre(!of.members.includes(comes));
        const before = balanced(of);
        const after = balanced(withMember(before, comes));
        expect(moved(before, after)).toBe(Math.floor(of.owners.length / after.members.length));
        for (const [shard, owner] of after.owners.entries())
          if (owner !== before.owners[shard]) expect(owner).toBe(comes);
      }),
    );
  });

  it('moves from a dead member what it had, and nothing between the others', () => {
    fc.assert(
      fc.property(table, fc.nat(), (of, who) => {
        const before = balanced(of);
        fc.pre(before.members.length > 1);
        const gone = before.members[who % before.members.length] as MemberName;
        const after = withoutMembers(before, new Set([gone]));
        expectSound(after);
        expect(moved(before, after)).toBe(shardsOf(before, gone).length);
        expect(balancingMoves(after)).toEqual([]);
      }),
    );
  });

  it('gives all to the first member, and keeps none when the last is gone', () => {
    const one = withMember(emptyTable(8), 'a');
    expect(shardsOf(one, 'a')).toHaveLength(8);
    const none = withoutMembers(one, new Set(['a']));
    expect(none).toMatchObject({ members: [], owners: new Array(8).fill(undefined) });
    expect(shardsOf(withMember(none, 'b'), 'b')).toHaveLength(8);
  });

  it('does not move what is no longer the giver’s', () => {
    const two = withMember(withMember(emptyTable(4), 'a'), 'b');
    expect(withMoves(two, [{ shard: 0, from: 'b', to: 'a' }]).owners).toEqual(two.owners);
  });
});
