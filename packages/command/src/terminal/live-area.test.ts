import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LiveArea } from './live-area.ts';

function fakeStream(isTTY: boolean) {
  const written: string[] = [];
  return { isTTY, columns: 80, written, write: (text: string) => void written.push(text) };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('on a terminal', () => {
  it('keeps a line below those that stay, and up to date', () => {
    const stream = fakeStream(true);
    const area = new LiveArea(stream, {});
    let state = 'starting';
    area.show(() => [state]);
    area.line('one');
    state = 'up';
    vi.advanceTimersByTime(200);
    expect(stream.written).toEqual(['starting', '\r\x1b[Kone\nstarting', '\r\x1b[Kup']);
  });

  it('wipes as many lines as it has drawn, whoever has drawn them', () => {
    const stream = fakeStream(true);
    const area = new LiveArea(stream, {});
    const hide = area.show(() => ['a', 'b']);
    area.show(() => ['c']);
    hide();
    expect(stream.written).toEqual(['a\nb', '\r\x1b[1A\x1b[Ja\nb\nc', '\r\x1b[2A\x1b[Jc']);
  });

  it('leaves a clean line behind, or what was drawn last', () => {
    const [wiped, left] = [fakeStream(true), fakeStream(true)];
    const areas = [wiped, left].map((stream) => new LiveArea(stream, {}));
    for (const area of areas) area.show(() => ['a']);
    areas[0]?.close();
    areas[1]?.leave();
    vi.advanceTimersByTime(1000);
    expect(wiped.written.at(-1)).toBe('\r\x1b[K');
    expect(left.written.slice(-2)).toEqual(['\r\x1b[Ka', '\n']);
  });
});

it.each([
  ['in a pipe', false, {}],
  ['on a terminal that can not move its cursor', true, { TERM: 'dumb' }],
])('%s there are only lines that stay', (_, isTTY, environment) => {
  const stream = fakeStream(isTTY);
  const area = new LiveArea(stream, environment);
  area.show(() => ['a']);
  area.line('one');
  vi.advanceTimersByTime(1000);
  area.leave();
  expect(stream.written).toEqual(['one\n']);
});
