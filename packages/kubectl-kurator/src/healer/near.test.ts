import { expect, it } from 'vitest';
import { near } from './near.ts';

const names = ['web', 'webshop', 'database', 'cache', 'cashier'];

it.each([
  ['wbe', ['web']],
  ['databse', ['database']],
  ['shop', ['webshop']],
  ['cachier', ['cashier', 'cache']],
  ['queue', []],
])('takes %j for a slip of %j', (wanted, meant) => {
  expect(near(wanted, names)).toEqual(expect.arrayContaining(meant));
  expect(near(wanted, names).length).toBeLessThanOrEqual(Math.max(meant.length, 0) + 1);
});
