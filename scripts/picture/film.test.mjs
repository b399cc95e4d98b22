import { describe, expect, it } from 'vitest';
import { filmSvg } from './film.mjs';

/** @param {string[]} lines */
const screenOf = (...lines) => lines.map((text) => [{ text, style: '' }]);

const film = filmSvg({
  title: 'a < b',
  columns: 10,
  rows: 2,
  frames: [
    { at: 0, lines: screenOf('same', 'x < y') },
    { at: 2000, lines: screenOf('same', '●●') },
  ],
});

describe('a film', () => {
  it('draws a line that comes again only once', () => {
    expect(film.match(/>same</g)).toHaveLength(1);
    expect(film.match(/href="#l0"/g)).toHaveLength(2);
  });

  it('shows each frame at its time, and the last where nothing moves', () => {
    expect(film).toContain('0.00%{transform:translateX(0px)}20.00%{transform:translateX(-110px)}');
    expect(film).toContain('<g id="film" transform="translate(-110)">');
  });

  it('fits signs that no font may have into their columns', () => {
    expect(film).toContain('<tspan x="0.0" textLength="15.6">●●</tspan>');
  });

  it('gives columns places of their own', () => {
    const columns = filmSvg({ title: '', columns: 20, rows: 1, frames: [{ at: 0, lines: screenOf('a b   c') }] });
    expect(columns).toContain('<tspan x="0.0">a b</tspan><tspan x="46.8">c</tspan>');
  });

  it('is XML whatever was printed', () => {
    expect(film).toContain('x &lt; y');
    expect(film).toContain('aria-label="a &lt; b"');
  });
});
