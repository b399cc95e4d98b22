import { expect, it } from 'vitest';
import { plain } from './write-status.ts';

it('takes secrets out of every text, however deep, and what JSON can not say', () => {
  const fields = {
    decision: 'idle: password=hunter2',
    gone: undefined,
    memory: { steps: [{ reason: 'Bearer abcdefgh12345678' }] },
  };
  expect(plain(fields)).toEqual({
    decision: 'idle: password=[redacted]',
    memory: { steps: [{ reason: 'Bearer [redacted]' }] },
  });
});
