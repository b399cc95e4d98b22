import { describe, expect, it } from 'vitest';
import { screenOf } from './style.ts';

const isColoured = (...given: Parameters<typeof screenOf>) => screenOf(...given).paint('bad', 'x') !== 'x';

describe('colours', () => {
  it.each([
    ['on a terminal', { isTTY: true }, {}, true],
    ['in a pipe', {}, {}, false],
    ['with NO_COLOR', { isTTY: true }, { NO_COLOR: '1' }, false],
    ['with an empty NO_COLOR', { isTTY: true }, { NO_COLOR: '' }, true],
    ['on a dumb terminal', { isTTY: true }, { TERM: 'dumb' }, false],
  ])('%s: %j', (_, stream, environment, expected) => {
    expect(isColoured(stream, environment)).toBe(expected);
  });
});

it('knows how wide a terminal is, and that a pipe is not', () => {
  expect(screenOf({ isTTY: true, columns: 42 }, {}).width).toBe(42);
  expect(screenOf({ isTTY: true }, {}).width).toBe(80);
  expect(screenOf({ columns: 42 }, {}).width).toBeUndefined();
});
