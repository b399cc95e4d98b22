import { expect, it } from 'vitest';
import { sideBySide } from './runs.ts';

it('has so many at work at once, and leaves none out', async () => {
  let working = 0;
  let most = 0;
  const done: number[] = [];
  await sideBySide(2, [1, 2, 3, 4, 5], async (one) => {
    working += 1;
    most = Math.max(most, working);
    await Promise.resolve();
    working -= 1;
    done.push(one);
  });
  expect([most, done.toSorted()]).toEqual([2, [1, 2, 3, 4, 5]]);
});
