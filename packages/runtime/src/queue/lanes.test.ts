import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createEntry, type Entry } from './entry.ts';
import { Lanes } from './lanes.ts';

let order = 0;
const entry = (priority: number): Entry => ({ ...createEntry(`k${order}`), priority, order: order++ });

describe('Lanes', () => {
  it('gives the urgent before the others, and each kind in its order', () => {
    const lanes = new Lanes();
    const [low1, high1, low2, high2] = [entry(-100), entry(0), entry(-100), entry(0)];
    for (const each of [low1, high1, low2, high2]) lanes.push(each);
    expect([1, 2, 3, 4, 5].map(() => lanes.shift())).toEqual([high1, high2, low1, low2, undefined]);
  });

  it('lets one that waits be overtaken seven times, and no more', () => {
    const lanes = new Lanes();
    const patient = entry(-100);
    lanes.push(patient);
    for (let i = 0; i < 20; i++) lanes.push(entry(0));
    const taken = Array.from({ length: 8 }, () => lanes.shift());
    expect(taken.indexOf(patient)).toBe(7);
  });

  it('starves nothing, whatever else keeps coming', () => {
    const priority = fc.constantFrom(0, -50, -100);
    fc.assert(
      fc.property(fc.array(priority, { maxLength: 20 }), fc.array(priority, { minLength: 1 }), (before, stream) => {
        const lanes = new Lanes();
        for (const each of before) lanes.push(entry(each));
        const patient = entry(-200);
        lanes.push(patient);
        // One comes for each that is taken, for ever.
        for (let taken = 1; taken <= 8 * (before.length + 1); taken++) {
          if (lanes.shift() === patient) return;
          lanes.push(entry(stream[taken % stream.length] as number));
        }
        expect.unreachable('it should have been its turn');
      }),
    );
  });

  it('keeps count and order when entries leave from the middle', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom(0, -100), fc.boolean())), (given) => {
        const lanes = new Lanes();
        const entries = given.map(([priority]) => entry(priority));
        for (const each of entries) lanes.push(each);
        for (const [i, [, leaves]] of given.entries()) if (leaves) lanes.remove(entries[i] as Entry);
        const left = entries.filter((_, i) => !given[i]?.[1]);
        expect(Array.from(lanes)).toEqual([0, -100].flatMap((lane) => left.filter((each) => each.priority === lane)));
        expect(lanes.size).toBe(left.length);
        expect(Array.from(lanes.sizes().values()).reduce((sum, size) => sum + size, 0)).toBe(left.length);
      }),
    );
  });
});
