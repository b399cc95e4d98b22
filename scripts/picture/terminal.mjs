/**
 * A terminal, as much of one as our own programs need: text, colours, and going up to write over what was drawn before.
 */

/** @typedef {{ text: string, style: string }} Run Characters of one look; a style is a list of words, or empty. */
/** @typedef {{ character: string, style: string }} Cell */

// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what sequences begin with.
const SEQUENCE = /^\x1b\[([?\d;]*)([A-Za-z])/;

/** What a number in `\x1b[…m` turns on. What it turns off is what is of the same sort. */
/** @type {Record<string, { sort: 'colour' | 'weight', word: string }>} */
const looks = {
  1: { sort: 'weight', word: 'bold' },
  2: { sort: 'weight', word: 'dim' },
  22: { sort: 'weight', word: '' },
  31: { sort: 'colour', word: 'red' },
  32: { sort: 'colour', word: 'green' },
  33: { sort: 'colour', word: 'yellow' },
  39: { sort: 'colour', word: '' },
};

/**
 * @param {number} columns
 * @param {number} rows
 */
export function createTerminal(columns, rows) {
  /** @type {Cell[][]} */
  let lines = Array.from({ length: rows }, () => []);
  let row = 0;
  let column = 0;
  const look = { colour: '', weight: '' };

  function newline() {
    if (row < rows - 1) row++;
    else lines = [...lines.slice(1), []];
  }

  /** @param {string} character */
  function put(character) {
    if (column >= columns) {
      column = 0;
      newline();
    }
    const line = lines[row] ?? [];
    while (line.length < column) line.push({ character: ' ', style: '' });
    line[column++] = { character, style: [look.colour, look.weight].filter(Boolean).join(' ') };
  }

  /** @param {string} numbers */
  function dress(numbers) {
    for (const number of (numbers || '0').split(';')) {
      const change = looks[number];
      if (change) look[change.sort] = change.word;
      else if (number === '0') Object.assign(look, { colour: '', weight: '' });
    }
  }

  function wipeLine() {
    lines[row] = (lines[row] ?? []).slice(0, column);
  }

  /** @type {Record<string, (given: string) => void>} */
  const commands = {
    A: (given) => {
      row = Math.max(0, row - Number(given || 1));
    },
    J: () => {
      wipeLine();
      lines = lines.map((line, index) => (index > row ? [] : line));
    },
    K: wipeLine,
    m: dress,
  };

  return {
    /** @param {string} text */
    write(text) {
      for (let rest = text; rest !== ''; ) {
        const [sequence, given = '', command = ''] = SEQUENCE.exec(rest) ?? [];
        if (sequence) {
          commands[command]?.(given);
          rest = rest.slice(sequence.length);
          continue;
        }
        const [character = ''] = rest;
        if (character === '\r') column = 0;
        else if (character === '\n') newline();
        else if (character >= ' ') put(character);
        rest = rest.slice(character.length);
      }
    },
    /** What it shows, line by line. */
    screen: () => lines.map(runsOf),
  };
}

/**
 * @param {Cell[]} line
 * @returns {Run[]}
 */
function runsOf(line) {
  /** @type {Run[]} */
  const runs = [];
  for (const { character, style } of line) {
    const last = runs.at(-1);
    // What is blank looks the same in every colour.
    if (last && (last.style === style || character === ' ')) last.text += character;
    else runs.push({ text: character, style });
  }
  return runs;
}
