import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DueQueue } from './due-queue.ts';

/** Takes out everything, in order. */
function drain(queue: DueQueue): [number, number][] {
  const taken: [number, number][] = [];
  for (let next = queue.takeDue(Number.POSITIVE_INFINITY); next; next = queue.takeDue(Number.POSITIVE_INFINITY)) {
    taken.push([next.id, next.time]);
  }
  return taken;
}

describe('what is due', () => {
  it('comes out in the order of time, and not before', () => {
    const queue = new DueQueue();
    queue.set(7, 30);
    queue.set(1, 10);
    queue.set(900, 20);
    expect(queue.earliest).toBe(10);
    expect(queue.takeDue(9)).toBeUndefined();
    expect(queue.takeDue(25)).toEqual({ id: 1, time: 10 });
    expect(queue.takeDue(25)).toEqual({ id: 900, time: 20 });
    expect(queue.takeDue(25)).toBeUndefined();
  });

  it('is nothing when it is empty', () => {
    expect(new DueQueue().earliest).toBe(Number.POSITIVE_INFINITY);
    expect(new DueQueue().takeDue(1e12)).toBeUndefined();
  });

  it('agrees with a list that is sorted each time, whatever is added, moved and removed', () => {
    const step = fc.record({
      id: fc.nat({ max: 200 }),
      time: fc.option(fc.integer({ min: 0, max: 50 }), { nil: undefined }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
        const queue = new DueQueue();
        const model = new Map<number, number>();
        for (const { id, time } of steps) {
          if (time === undefined) queue.delete(id);
          else queue.set(id, time);
          if (time === undefined) model.delete(id);
          else model.set(id, time);
          expect(queue.size).toBe(model.size);
          expect(queue.earliest).toBe(Math.min(...model.values()));
        }
        const taken = drain(queue);
        expect(taken.map(([, time]) => time)).toEqual([...model.values()].sort((a, b) => a - b));
        expect(new Map(taken)).toEqual(model);
      }),
    );
  });
});
