import { LiveArea } from '@kurator/command';
import { silent } from '@kurator/testenv';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Narrator } from './narrator.ts';

let written: string[] = [];

function narratorOn(columns: number | undefined, environment = {}): Narrator {
  const stream = {
    ...(columns && { isTTY: true, columns }),
    write: (text: string) => void written.push(text),
  };
  return new Narrator({ results: new LiveArea(stream, environment), reporter: silent }, Date.now());
}

beforeEach(() => {
  written = [];
  vi.useFakeTimers();
});
afterEach(() => void vi.useRealTimers());

describe('the narrator', () => {
  it('tells what comes next with the time since the beginning', () => {
    const narrator = narratorOn(undefined);
    vi.advanceTimersByTime(12_300);
    narrator.step('Up.');
    expect(written).toEqual(['[     12 s] Up.\n']);
  });

  it('without a terminal writes lines, and nothing in place', () => {
    const narrator = narratorOn(undefined);
    narrator.show(() => ['cart Healthy']);
    narrator.line('one');
    vi.advanceTimersByTime(5000);
    narrator.close();
    expect(written).toEqual(['one\n']);
  });

  it.each([{ TERM: 'dumb' }])('a terminal that can not move its cursor is as none: %o', (environment) => {
    const narrator = narratorOn(80, environment);
    narrator.show(() => ['cart Healthy']);
    expect(written).toEqual([]);
  });

  it('on a terminal keeps what is shown below the lines, and up to date', () => {
    const narrator = narratorOn(80);
    let state = 'Healthy';
    narrator.show(() => [`cart ${state}`]);
    narrator.line('one');
    state = 'Down';
    vi.advanceTimersByTime(200);
    expect(written).toEqual(['\ncart Healthy', '\r\x1b[1A\x1b[Jone\n\ncart Healthy', '\r\x1b[1A\x1b[J\ncart Down']);
    narrator.close();
    written = [];
    narrator.line('two');
    vi.advanceTimersByTime(1000);
    expect(written).toEqual(['two\n']);
  });

  it('shows long work in place, for as long as it takes', () => {
    const narrator = narratorOn(80);
    narrator.reporter.progress('Loading', 0.5, 'kurator');
    expect(written.at(-1)).toContain('Loading: 0.0 s, 50 %, kurator');
    narrator.reporter.progress('Loading', 1);
    expect(written.at(-1)).not.toContain('Loading');
    narrator.close();
  });
});
