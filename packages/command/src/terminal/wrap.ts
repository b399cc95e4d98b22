/** Sentences that are broken between words where the line ends, and go on under their own beginning. Pure. */

/**
 * Breaks a text into lines, each after a margin: `first`, then `rest`.
 *
 * @param width Characters in a line; undefined for as many as there are.
 */
export function wrap(text: string, width: number | undefined, first = '', rest = ' '.repeat(first.length)): string {
  if (width === undefined) return `${first}${text}`;
  const room = Math.max(20, width - rest.length);
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ').flatMap((each) => pieces(each, room))) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (longer.length <= room || line === '') line = longer;
    else {
      lines.push(line);
      line = word;
    }
  }
  return [...lines, line].map((each, index) => `${index === 0 ? first : rest}${each}`).join('\n');
}

/** What is longer than a line is cut into lines. */
function pieces(word: string, room: number): string[] {
  if (word.length <= room) return [word];
  return [word.slice(0, room), ...pieces(word.slice(room), room)];
}
