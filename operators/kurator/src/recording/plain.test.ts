import { expect, it } from 'vitest';
import { plain } from './plain.ts';

it('takes secrets out of every text, however deep, and what JSON can not say', () => {
  const fields = {
    decision: 'rest: password=hunter2',
    gone: undefined,
    memory: { steps: [{ reason: 'Bearer abcdefgh12345678' }] },
  };
  expect(plain(fields)).toEqual({
    decision: 'rest: password=[redacted]',
    memory: { steps: [{ reason: 'Bearer [redacted]' }] },
  });
});
