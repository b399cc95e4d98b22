import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DelayHeap } from './delay-heap.ts';
import { createEntry, type Entry } from './entry.ts';

const entryAt = (readyAt: number, order: number): Entry => ({ ...createEntry(`k${order}`), readyAt, order });
const byTime = (a: Entry, b: Entry) => a.readyAt - b.readyAt || a.order - b.order;

type Step = { put: number } | { hasten: number; by: number } | { remove: number };
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ put: fc.nat({ max: 50 }) }),
  fc.record({ hasten: fc.nat(), by: fc.nat({ max: 30 }) }),
  fc.record({ remove: fc.nat() }),
);

function take(heap: DelayHeap, model: Entry[], step: Step, order: number): void {
  if ('put' in step) model.push(entryAt(step.put, order));
  const index = 'put' in step ? -1 : ('hasten' in step ? step.hasten : step.remove) % Math.max(1, model.length);
  const entry = model.at(index);
  if (!entry) return;
  if ('remove' in step) {
    model.splice(index, 1);
    heap.remove(entry);
    return;
  }
  if ('hasten' in step) entry.readyAt -= step.by;
  heap.put(entry);
}

describe('DelayHeap', () => {
  it('gives entries in the order of their time, the earlier put first, after any puts, moves and removals', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80, size: 'max' }), (steps) => {
        const heap = new DelayHeap();
        const model: Entry[] = [];
        for (const [order, step] of steps.entries()) take(heap, model, step, order);
        expect(heap.size).toBe(model.length);
        expect(heap.earliest(3)).toEqual(model.toSorted(byTime).slice(0, 3));
        const popped: Entry[] = [];
        for (let { first } = heap; first; { first } = heap) {
          heap.remove(first);
          popped.push(first);
        }
        expect(popped).toEqual(model.toSorted(byTime));
        expect(popped.every(({ heapIndex }) => heapIndex === -1)).toBe(true);
      }),
    );
  });
});
