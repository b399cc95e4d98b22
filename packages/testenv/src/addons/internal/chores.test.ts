import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createChores } from './chores.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const setUp = () => {
  const wake = vi.fn();
  const failed = vi.fn();
  return { wake, failed, chores: createChores({ wake, failed, firstDelay: 100 }) };
};

it('never does a chore twice at once, and asks for another look when it was wanted meanwhile', async () => {
  const { chores, wake } = setUp();
  const work = Promise.withResolvers<void>();
  const chore = vi.fn(() => work.promise);
  chores.begin('a', chore);
  chores.begin('a', chore);
  expect(chore).toHaveBeenCalledTimes(1);
  work.resolve();
  await chores.end();
  expect(wake).toHaveBeenCalledTimes(1);
});

it('waits longer after each failure, and not at all after a success', async () => {
  const { chores, wake, failed } = setUp();
  const chore = vi.fn(() => Promise.reject(new Error('no')));
  const delays: number[] = [];
  for (let i = 0; i < 4; i += 1) {
    chores.begin('a', chore);
    await vi.advanceTimersByTimeAsync(0);
    chores.begin('a', chore);
    const before = Date.now();
    const wakes = wake.mock.calls.length;
    while (wake.mock.calls.length === wakes) await vi.advanceTimersByTimeAsync(100);
    delays.push(Date.now() - before);
  }
  expect(delays).toEqual([100, 200, 400, 800]);
  expect(chore).toHaveBeenCalledTimes(4);
  expect(failed).toHaveBeenCalledTimes(4);
  const success = vi.fn(async () => {});
  chores.begin('a', success);
  await vi.advanceTimersByTimeAsync(0);
  chores.begin('a', success);
  expect(success).toHaveBeenCalledTimes(2);
});

it('wakes nobody after its end', async () => {
  const { chores, wake } = setUp();
  chores.begin('a', () => Promise.reject(new Error('no')));
  await chores.end();
  await vi.advanceTimersByTimeAsync(100_000);
  expect(wake).not.toHaveBeenCalled();
});
