import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteStore } from './byte-store.ts';

const bytes = (text: string) => Buffer.from(text);

describe('ByteStore', () => {
  it('joins the parts of a record', () => {
    const store = new ByteStore(64);
    store.set('a', bytes('one '), bytes('two'));
    expect(store.text('a')).toBe('one two');
  });

  it('takes a record that is larger than a slab', () => {
    const store = new ByteStore(16);
    store.set('small', bytes('x'));
    store.set('large', bytes('y'.repeat(1000)));
    store.set('after', bytes('z'));
    expect([store.text('small'), store.text('large'), store.text('after')]).toEqual(['x', 'y'.repeat(1000), 'z']);
  });

  it('behaves like a Map whatever happens to it, and holds at most about twice what lives in it', () => {
    const slab = 256;
    const step = fc.record({
      key: fc.integer({ min: 0, max: 20 }).map(String),
      value: fc.option(fc.string({ maxLength: 120, unit: 'grapheme' })),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
        const store = new ByteStore(slab);
        const model = new Map<string, string>();
        for (const { key, value } of steps) {
          if (value === null) expect(store.delete(key)).toBe(model.delete(key));
          else {
            store.set(key, bytes(value));
            model.set(key, value);
          }
        }
        expect(store.size).toBe(model.size);
        expect([...store.keys()].sort()).toEqual([...model.keys()].sort());
        for (const [key, value] of model) expect(store.text(key)).toBe(value);
        const live = [...model.values()].reduce((sum, value) => sum + Buffer.byteLength(value), 0);
        const largest = Math.max(slab, ...[...model.values()].map((value) => Buffer.byteLength(value)));
        expect(store.heldBytes).toBeLessThanOrEqual(2 * live + 2 * largest + slab);
      }),
    );
  });
});
