import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { merge } from './merge.ts';

describe('a person’s fields over ours', () => {
  it('win, field by field', () => {
    expect(merge({ a: 1, b: { c: 2, d: 3 } }, { b: { c: 4 }, e: 5 })).toEqual({ a: 1, b: { c: 4, d: 3 }, e: 5 });
  });

  it('meet in lists by name, and add what is new', () => {
    const ours = { containers: [{ name: 'main', image: 'a', ports: [{ name: 'http', containerPort: 80 }] }] };
    const theirs = {
      containers: [
        { name: 'side', image: 'b' },
        { name: 'main', image: 'c' },
      ],
    };
    expect(merge(ours, theirs)).toEqual({
      containers: [
        { name: 'main', image: 'c', ports: [{ name: 'http', containerPort: 80 }] },
        { name: 'side', image: 'b' },
      ],
    });
  });

  it('replace lists of other things, and take away by null', () => {
    expect(merge({ args: ['a', 'b'], x: 1 }, { args: ['c'], x: null })).toEqual({ args: ['c'] });
  });

  it('change nothing when they say the same', () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.string(),
          fc.jsonValue().filter((value) => value !== null),
        ),
        (fields) => {
          fc.pre(!JSON.stringify(fields).includes('null'));
          expect(merge(fields, fields)).toEqual(fields);
        },
      ),
    );
  });
});
