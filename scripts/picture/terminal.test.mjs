import { describe, expect, it } from 'vitest';
import { createTerminal } from './terminal.mjs';

/** @param {ReturnType<typeof createTerminal>} terminal */
const text = (terminal) => terminal.screen().map((runs) => runs.map((run) => run.text).join(''));

describe('the terminal of recordings', () => {
  it('scrolls when it is full', () => {
    const terminal = createTerminal(10, 2);
    terminal.write('one\r\ntwo\r\nthree');
    expect(text(terminal)).toEqual(['two', 'three']);
  });

  it('breaks a line that is too long', () => {
    const terminal = createTerminal(3, 2);
    terminal.write('abcd');
    expect(text(terminal)).toEqual(['abc', 'd']);
  });

  it('goes up, wipes, and writes over what was there', () => {
    const terminal = createTerminal(10, 4);
    terminal.write('line\r\nold 1\r\nold 2\r\n\x1b[2A\x1b[Jnew\r\n');
    expect(text(terminal)).toEqual(['line', 'new', '', '']);
  });

  it('keeps colours, each for what was written in it', () => {
    const terminal = createTerminal(20, 1);
    terminal.write('a \x1b[31mbad\x1b[39m \x1b[2mday\x1b[22m');
    expect(terminal.screen()[0]).toEqual([
      { text: 'a ', style: '' },
      { text: 'bad ', style: 'red' },
      { text: 'day', style: 'dim' },
    ]);
  });
});
