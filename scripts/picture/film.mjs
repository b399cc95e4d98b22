/**
 * A film of a terminal as one SVG: every frame side by side on a strip, which CSS moves past a window. Lines that come
 * again are drawn once. Where nothing may move, the last frame is what one sees.
 */

/** @typedef {import('./terminal.mjs').Run} Run */
/** @typedef {{ at: number, lines: Run[][] }} Frame `at` in milliseconds since the film's beginning. */

const LINE = 18;
const CHARACTER = 7.8;
const MARGIN = 16;
/** How long the last frame stays. */
const LAST = 8000;

const STYLE = `text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#d6deeb;white-space:pre}
.red{fill:#ff7b72}.green{fill:#7ee787}.yellow{fill:#e3b341}.dim{fill:#8b949e}.bold{font-weight:700;fill:#fff}`;

/** @param {string} text */
const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/**
 * @param {{ title: string, columns: number, rows: number, frames: Frame[] }} film
 */
export function filmSvg({ title, columns, rows, frames }) {
  const width = Math.ceil(columns * CHARACTER + 2 * MARGIN);
  const height = rows * LINE + 2 * MARGIN;
  /** @type {Map<string, string>} */
  const known = new Map();
  const strip = frames.map(({ lines }, index) => frameOf(lines, index * width, known));
  const drawn = [...known].map(([line, id]) => `<text id="${id}">${line}</text>`);
  const length = (frames.at(-1)?.at ?? 0) + LAST;
  const moves = frames.map(
    ({ at }, index) => `${((100 * at) / length).toFixed(2)}%{transform:translateX(${-index * width}px)}`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" xml:space="preserve" role="img" aria-label="${escaped(title)}">
<style>${STYLE}
@keyframes film{${moves.join('')}}
#film{animation:film ${(length / 1000).toFixed(1)}s step-end infinite}
@media(prefers-reduced-motion:reduce){#film{animation:none}}</style>
<defs>${drawn.join('\n')}</defs>
<rect width="100%" height="100%" rx="8" fill="#0d1117"/>
<svg width="${width}" height="${height}"><g id="film" transform="translate(${-(frames.length - 1) * width})">
${strip.join('\n')}
</g></svg>
</svg>
`;
}

/**
 * @param {Run[][]} lines
 * @param {number} x
 * @param {Map<string, string>} known
 */
function frameOf(lines, x, known) {
  const uses = lines.flatMap((runs, index) => {
    const line = lineOf(runs);
    if (line === '') return [];
    const id = known.get(line) ?? `l${known.size.toString(36)}`;
    known.set(line, id);
    return [`<use href="#${id}" y="${MARGIN + index * LINE + 13}"/>`];
  });
  return `<g transform="translate(${x + MARGIN})">${uses.join('')}</g>`;
}

/**
 * Whatever stands apart from what is before it has a place of its own, so that columns stay columns in every font.
 *
 * @param {Run[]} runs
 */
function lineOf(runs) {
  let column = 0;
  const pieces = runs.flatMap(({ text, style }) =>
    text.split(/(?<=\S)(?= {2,})|(?<= {2,})(?=\S)/).map((piece) => {
      const at = column;
      column += [...piece].length;
      return { at, style, shown: piece.trimEnd() };
    }),
  );
  return pieces
    .filter(({ shown }) => shown !== '')
    .map(({ at, style, shown }) => {
      // Signs that a font lacks come from another, with another width: they are fitted into their columns.
      const isPlain = /^[ -~]*$/.test(shown);
      const fit = isPlain ? '' : ` textLength="${([...shown].length * CHARACTER).toFixed(1)}"`;
      return `<tspan x="${(at * CHARACTER).toFixed(1)}"${fit}${style && ` class="${style}"`}>${escaped(shown)}</tspan>`;
    })
    .join('');
}
