import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createLooks } from './looks.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('makes one look of many requests', async () => {
  const look = vi.fn(async () => {});
  const looks = createLooks({ look, failed: vi.fn() });
  for (let i = 0; i < 10; i += 1) looks.request();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(look).toHaveBeenCalledTimes(1);
});

it('looks once more after a request that came during a look', async () => {
  const looking = Promise.withResolvers<void>();
  const look = vi.fn(() => looking.promise);
  const looks = createLooks({ look, failed: vi.fn() });
  looks.request();
  await vi.advanceTimersByTimeAsync(100);
  looks.request();
  looks.request();
  await vi.advanceTimersByTimeAsync(100);
  expect(look).toHaveBeenCalledTimes(1);
  looking.resolve();
  await vi.advanceTimersByTimeAsync(100);
  expect(look).toHaveBeenCalledTimes(2);
});

it('looks again by itself after a look that failed', async () => {
  const look = vi.fn(async () => {}).mockRejectedValueOnce(new Error('away'));
  const failed = vi.fn();
  const looks = createLooks({ look, failed });
  looks.request();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(failed).toHaveBeenCalledWith(new Error('away'));
  expect(look).toHaveBeenCalledTimes(2);
});

it('does not look after its end', async () => {
  const look = vi.fn(async () => {});
  const looks = createLooks({ look, failed: vi.fn() });
  looks.request();
  await looks.end();
  looks.request();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(look).not.toHaveBeenCalled();
});
