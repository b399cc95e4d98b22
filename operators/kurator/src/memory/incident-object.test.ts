import { expect, it } from 'vitest';
import type { Moment } from '../brain/replay.ts';
import { withMoment } from './incident-object.ts';

const moment = (now: number, size = 0) => ({ now, text: 'x'.repeat(size) }) as unknown as Moment;

it('keeps each moment once, and the first of them when there are too many', () => {
  let kept = withMoment(undefined, moment(1));
  expect(withMoment(kept, moment(1))).toBe(kept);
  expect(withMoment(kept, undefined)).toBe(kept);
  for (let now = 2; now < 100; now++) kept = withMoment(kept, moment(now));
  expect(kept?.map(({ now }) => now)).toEqual(Array.from({ length: 16 }, (_, index) => index + 1));
});

it('leaves out what would make the object too large', () => {
  const kept = withMoment(undefined, moment(1, 80_000));
  expect(withMoment(kept, moment(2, 80_000))).toBe(kept);
  expect(withMoment(kept, moment(3))).toHaveLength(2);
});
