import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { elapsed, withProgress } from './progress.mjs';

describe('elapsed', () => {
  it.each([
    [0, '0 ms'],
    [820, '820 ms'],
    [1_000, '1.0 s'],
    [12_340, '12.3 s'],
    [59_960, '1 min 0 s'],
    [245_000, '4 min 5 s'],
  ])('reads %i ms as %s', (ms, text) => {
    expect(elapsed(ms)).toBe(text);
  });
});

describe('withProgress', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** @param {{ isTTY: boolean }} options */
  function terminal({ isTTY }) {
    const stream = /** @type {NodeJS.WriteStream} */ (/** @type {unknown} */ (new PassThrough()));
    stream.isTTY = isTTY;
    stream.columns = 80;
    return { stream, written: () => String(stream.read() ?? '') };
  }

  /** @param {number} ms */
  const lasting = (ms) => () => new Promise((resolve) => setTimeout(resolve, ms));

  it('keeps one line up to date on a terminal, and removes it', async () => {
    const { stream, written } = terminal({ isTTY: true });
    const done = withProgress('Installing', lasting(3_000), { stream, detail: () => '7 of 9' });
    await vi.advanceTimersByTimeAsync(2_500);
    expect(written()).toContain('\r\x1b[KInstalling, 7 of 9, 2.5 s');
    await vi.advanceTimersByTimeAsync(500);
    await done;
    expect(written().endsWith('\r\x1b[K')).toBe(true);
  });

  it('draws nothing for what is over at once', async () => {
    const { stream, written } = terminal({ isTTY: true });
    const done = withProgress('Installing', lasting(1_900), { stream });
    await vi.advanceTimersByTimeAsync(1_900);
    await done;
    expect(written()).not.toContain('Installing');
  });

  it('adds a line every quarter of a minute to a log', async () => {
    const { stream, written } = terminal({ isTTY: false });
    const done = withProgress('Installing', lasting(40_000), { stream });
    await vi.advanceTimersByTimeAsync(40_000);
    await done;
    expect(written()).toBe('Installing, 15.0 s\nInstalling, 30.0 s\n');
  });
});
