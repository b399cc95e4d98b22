import { expect, it } from 'vitest';
import { ManualClock } from '../../test/support/manual-clock.ts';
import { SpamLimit } from './spam-limit.ts';

const taken = (limit: SpamLimit, object: string) => {
  let count = 0;
  while (limit.allows(object)) count++;
  return count;
};

it('allows a burst of 25 about one object, then one every five minutes', async () => {
  const clock = new ManualClock();
  const limit = new SpamLimit(clock);
  expect(taken(limit, 'a')).toBe(25);
  await clock.advance(299_999);
  expect(taken(limit, 'a')).toBe(0);
  await clock.advance(1);
  expect(taken(limit, 'a')).toBe(1);
  await clock.advance(24 * 3_600_000);
  expect(taken(limit, 'a')).toBe(25);
});

it('does not let one object use up what is another one’s', () => {
  const limit = new SpamLimit(new ManualClock());
  taken(limit, 'a');
  expect(taken(limit, 'b')).toBe(25);
});

it('remembers a bounded number of objects', () => {
  const limit = new SpamLimit(new ManualClock(), { objects: 2, burst: 1 });
  for (const object of ['a', 'b', 'c']) taken(limit, object);
  expect([limit.allows('c'), limit.allows('b'), limit.allows('a')]).toEqual([false, false, true]);
});
