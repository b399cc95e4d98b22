import { expect, it } from 'vitest';
import { BoundedMap } from './bounded-map.ts';

it('forgets what was not used for longest, and says so', () => {
  const forgotten: number[] = [];
  const map = new BoundedMap<string, number>(2, (value) => void forgotten.push(value));
  map.set('a', 1);
  map.set('b', 2);
  map.get('a');
  map.set('c', 3);
  expect([map.get('a'), map.get('b'), map.get('c')]).toEqual([1, undefined, 3]);
  expect(forgotten).toEqual([2]);
  map.set('c', 4);
  expect(map.size).toBe(2);
});
