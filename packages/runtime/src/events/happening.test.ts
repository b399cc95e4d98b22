import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutToBytes, faultOf, fittingNote, type Happening } from './happening.ts';

const proper: Happening = { type: 'Normal', reason: 'Scaled', action: 'Scale', note: 'to 3' };

describe('a happening', () => {
  it('is taken when its words are words', () => {
    expect(faultOf(proper)).toBeUndefined();
    expect(faultOf({ ...proper, reason: 'A'.repeat(128) })).toBeUndefined();
  });

  it.each([
    ['type', { type: 'Error' as 'Normal' }],
    ['reason', { reason: '' }],
    ['reason', { reason: 'image not found' }],
    ['reason', { reason: 'A'.repeat(129) }],
    ['action', { action: 'scale' }],
    ['action', { action: undefined as unknown as string }],
  ])('is refused with the name of the field: %s %o', (field, change) => {
    expect(faultOf({ ...proper, ...change })).toContain(field);
  });
});

describe('a note', () => {
  it('is never longer than 1024 bytes, nor cut inside a character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 2000 }), (text) => {
        const cut = cutToBytes(text, 1024);
        expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(1024);
        expect(cut.isWellFormed()).toBe(true);
        if (Buffer.byteLength(text) <= 1024) expect(cut).toBe(text.toWellFormed());
        else expect(text.toWellFormed().startsWith(cut.slice(0, -1))).toBe(true);
      }),
    );
  });

  it('is cut between the halves of nothing', () => {
    expect(cutToBytes('😀😀😀', 11)).toBe('😀😀…');
    expect(cutToBytes('😀😀😀', 10)).toBe('😀…');
    expect(cutToBytes('\ud83d', 10)).toBe('\ufffd');
  });

  it('holds no secret', () => {
    expect(fittingNote('login with password=hunter2 failed')).toBe('login with password=[redacted] failed');
  });
});
