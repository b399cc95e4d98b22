import { expect, it } from 'vitest';
import { runChecks } from './check.ts';

it('is well if all are, and tells of each why it is not', async () => {
  expect(await runChecks([])).toEqual({ ok: true, checks: [] });
  const report = await runChecks(
    [
      { name: 'good', check: () => undefined },
      { name: 'bad', check: () => 'it rains' },
      { name: 'broken', check: () => Promise.reject(new Error('boom')) },
      { name: 'throwing', check: () => expect.unreachable('thrown') },
      { name: 'hanging', check: () => new Promise(() => {}) },
    ],
    20,
  );
  expect(report).toEqual({
    ok: false,
    checks: [
      { name: 'good', ok: true },
      { name: 'bad', ok: false, reason: 'it rains' },
      { name: 'broken', ok: false, reason: 'boom' },
      { name: 'throwing', ok: false, reason: expect.stringContaining('thrown') },
      { name: 'hanging', ok: false, reason: 'did not answer within 0.02 s' },
    ],
  });
});
