import { expect, it } from 'vitest';
import { requeue } from './author.ts';

it('can be returned alone or beside other results', () => {
  expect(requeue('1m30s')).toEqual({ requeueAfter: 90_000 });
  expect({ status: 'x', ...requeue(5) }).toEqual({ status: 'x', requeueAfter: 5 });
});

it('refuses what is no duration where it was written', () => {
  expect(() => requeue('soon')).toThrow('requeue: "soon" is not a duration');
});
