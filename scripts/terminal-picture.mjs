/**
 * Draws what a command printed as a picture of a terminal, for the README:
 *
 *     npm start --silent 2>/dev/null | node scripts/terminal-picture.mjs 'npm start' > docs/images/tour.svg
 */
import { text } from 'node:stream/consumers';

const LINE = 19;
const CHARACTER = 8.2;
const MARGIN = 18;

/** @param {string} line */
const escaped = (line) => line.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/**
 * @param {string} title
 * @param {string[]} lines
 */
function picture(title, lines) {
  const width = Math.ceil(Math.max(...lines.map((line) => line.length)) * CHARACTER + 2 * MARGIN);
  const height = (lines.length + 1) * LINE + 2 * MARGIN;
  const rows = lines.map((line, i) => {
    const y = MARGIN + (i + 1) * LINE;
    const colour = line.startsWith('$') ? '#7ee787' : line.startsWith('[') ? '#e6edf3' : '#9da7b3';
    return `<text x="${MARGIN}" y="${y}" fill="${colour}" xml:space="preserve">${escaped(line)}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" role="img" aria-label="${escaped(title)}">
<rect width="100%" height="100%" rx="8" fill="#0d1117"/>
<g font-family="ui-monospace, Menlo, Consolas, monospace" font-size="13.5">
${rows.join('\n')}
</g>
</svg>
`;
}

const [command = ''] = process.argv.slice(2);
const printed = (await text(process.stdin)).trimEnd().split('\n');
process.stdout.write(picture(`What ${command} prints`, [`$ ${command}`, ...printed]));
