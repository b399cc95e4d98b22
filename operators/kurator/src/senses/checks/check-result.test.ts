import fc from 'fast-check';
import { expect, it } from 'vitest';
import { messageLength, printable } from './check-result.ts';

it('makes any text printable, on one line, and short', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(0xffff), { maxLength: 600 }), (codes) => {
      const message = printable(String.fromCharCode(...codes));
      expect(message.length).toBeLessThanOrEqual(messageLength);
      expect(message).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u);
    }),
  );
});

it('leaves a plain message as it is', () => {
  expect(printable('connect ECONNREFUSED 127.0.0.1:80 – größer')).toBe('connect ECONNREFUSED 127.0.0.1:80 – größer');
});
