import { expect, it } from 'vitest';
import { RecentUids } from './recent-uids.ts';

it('remembers the last ones, and forgets the one that was added longest ago', () => {
  const recent = new RecentUids(2);
  for (const uid of ['a', 'b', 'a', 'c']) recent.add(uid);
  expect(['a', 'b', 'c'].filter((uid) => recent.has(uid))).toEqual(['a', 'c']);
});

it('takes two that have no uid for two', () => {
  const recent = new RecentUids();
  recent.add(undefined);
  expect(recent.has(undefined)).toBe(false);
});
