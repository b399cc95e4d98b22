/** Descriptions as TSDoc comments. */

const WIDTH = 120;

/** The lines of a comment; none where there is nothing to say. */
export function docComment(description: string | undefined, indent = ''): string[] {
  const paragraphs = (description ?? '')
    .replaceAll('*/', '*\\/')
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.replace(/\s+/g, ' ').trim())
    .filter(Boolean);
  const [only = '', ...more] = paragraphs;
  if (only === '') return [];
  const short = `${indent}/** ${only} */`;
  if (more.length === 0 && short.length <= WIDTH) return [short];
  const start = `${indent} * `;
  const blocks = paragraphs.map((paragraph) =>
    wrapped(paragraph, WIDTH - start.length).map((line) => `${start}${line}`),
  );
  const lines = blocks.flatMap((block, index) => (index === 0 ? block : [`${indent} *`, ...block]));
  return [`${indent}/**`, ...lines, `${indent} */`];
}

function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
