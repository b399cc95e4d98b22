import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LiveArea } from './live-area.ts';
import { progressReporter } from './progress-reporter.ts';

/** What a terminal of this width would show: each line as it was last drawn. */
function fakeStream({ isTTY, columns = 80 }: { isTTY: boolean; columns?: number }) {
  let text = '';
  return {
    isTTY,
    columns,
    write: (chunk: string) => {
      text += chunk;
    },
    lines: () => text.split('\n').map((line) => line.split('\r\x1b[K').at(-1)),
    raw: () => text,
  };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('where nobody sees it drawn', () => {
  function start(verbose = false) {
    const stream = fakeStream({ isTTY: false });
    return { stream, reporter: progressReporter({ area: new LiveArea(stream, {}), verbose }) };
  }

  it('says nothing about what is quick', () => {
    const { stream, reporter } = start();
    reporter.progress('Fetching', undefined);
    vi.advanceTimersByTime(1_500);
    reporter.progress('Fetching', 1);
    vi.advanceTimersByTime(30_000);
    expect(stream.raw()).toBe('');
  });

  it('writes a line after two seconds, then one every ten, and one at the end', () => {
    const { stream, reporter } = start();
    reporter.progress('Building', 0.25, 'package 1 of 4');
    vi.advanceTimersByTime(23_000);
    reporter.progress('Building', 1);
    expect(stream.lines()).toEqual([
      'Building: 25 %, package 1 of 4, 2.0 s',
      'Building: 25 %, package 1 of 4, 12 s',
      'Building: 25 %, package 1 of 4, 22 s',
      'Building took 23 s',
      '',
    ]);
  });

  it('writes about the task that was reported last', () => {
    const { stream, reporter } = start();
    reporter.progress('Cluster', undefined);
    reporter.progress('Building', 0.5);
    vi.advanceTimersByTime(2_000);
    reporter.progress('Building', 1);
    vi.advanceTimersByTime(200);
    expect(stream.lines()).toEqual(['Building: 50 %, 2.0 s', 'Building took 2.0 s', 'Cluster: 2.2 s', '']);
  });

  it('explains decisions only when asked to', () => {
    const quiet = start(false);
    quiet.reporter.verbose('because');
    quiet.reporter.info('plain');
    expect(quiet.stream.raw()).toBe('plain\n');
    const talkative = start(true);
    talkative.reporter.verbose('because');
    expect(talkative.stream.raw()).toBe('because\n');
  });

  it('uses no control characters', () => {
    const { stream, reporter } = start();
    reporter.progress('Building', 0.5);
    reporter.info('a line between');
    vi.advanceTimersByTime(15_000);
    reporter.close();
    expect(stream.raw()).not.toContain('\x1b');
  });
});

describe('on a terminal', () => {
  it('keeps one line up to date', () => {
    const stream = fakeStream({ isTTY: true });
    const reporter = progressReporter({ area: new LiveArea(stream, {}), verbose: false });
    reporter.progress('Building', 0, 'modules');
    vi.advanceTimersByTime(5_000);
    reporter.progress('Building', 0.5, 'package 2 of 4, about 5 s left');
    vi.advanceTimersByTime(200);
    expect(stream.lines()).toEqual(['Building [##########----------] 50 %, package 2 of 4, about 5 s left, 5.2 s']);
  });

  it('puts lines above it, and draws it again below', () => {
    const stream = fakeStream({ isTTY: true });
    const reporter = progressReporter({ area: new LiveArea(stream, {}), verbose: false });
    reporter.progress('Cluster', undefined, 'starting');
    reporter.info('the API server is ready');
    expect(stream.lines()).toEqual(['the API server is ready', 'Cluster: starting, 0.0 s']);
  });

  it('never draws more than fits into one line', () => {
    const stream = fakeStream({ isTTY: true, columns: 40 });
    const reporter = progressReporter({ area: new LiveArea(stream, {}), verbose: false });
    reporter.progress('Building Kubernetes', 0.5, 'a very long detail about a very long package path');
    expect(stream.lines()[0]).toHaveLength(39);
  });

  it('leaves a clean line behind', () => {
    const stream = fakeStream({ isTTY: true });
    const reporter = progressReporter({ area: new LiveArea(stream, {}), verbose: false });
    reporter.progress('Cluster', undefined);
    reporter.close();
    vi.advanceTimersByTime(10_000);
    expect(stream.lines()).toEqual(['']);
  });
});
