/**
 * Compares our client of HTTP/1.1 with Node's, answer by answer. Two things must hold:
 *
 * - History changes nothing: each request gets what its own answer alone reads as, whatever pieces it comes in, whatever
 *   came before, and whatever came behind the answer before.
 * - Node reads the same, or the difference is one of those listed here. That ours takes what Node refuses is listed once.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Served } from './answers.ts';
import { type Outcome, type Read, readAlone, readByNode, readByOurs } from './clients.ts';

/** What is known to differ, and why that is right. */
export const differences = {
  'no other protocol':
    'Node takes 101 for an answer, and leaves the connection to whoever wants it; nobody asks for that here',
  'only HTTP/1.0 and 1.1': 'Node also takes HTTP/0.9 and 2.0, and statuses below 100',
  'no control characters': 'Node takes them in the reason behind the status',
  'only chunks':
    'Node takes any transfer coding, and reads until the connection ends; a client that sends no TE gets none',
  'whole line ends': 'Node takes some line feeds without a carriage return among chunks; ours takes none',
  'chunk extensions':
    'Node takes some that RFC 9112 (7.1.1) does not have, such as one without a name; ours takes none of them',
  limits:
    'Node counts the bytes of heads and trailers in another way, so near 64 KiB they differ; it believes lengths of 16 digits and more',
  'noticed later':
    'Node refuses a head or a line at its first bad byte, and ours when it is whole, or the connection ends',
  'notice that closes':
    'Node refuses what follows a notice (1xx) with `Connection: close`; that header is for the answer',
  'chunked and a tab': 'Node does not see chunks where a tab follows the word; RFC 9110 (5.6.3) has it as white space',
  'chunks in HTTP/1.0':
    'ours uses such a connection no more, as RFC 9112 (6.1) has it; Node does where it is kept alive',
} as const;

export type DifferenceName = keyof typeof differences;

/** What was seen in one scene. */
export interface Comparison {
  readonly requests: number;
  readonly answers: number;
  readonly differences: readonly DifferenceName[];
}

/** Reads these answers in a row. @throws with all that is known where something differs that is not listed. */
export async function compare(row: readonly Served[]): Promise<Comparison> {
  const ours = await readByOurs(row);
  const found: DifferenceName[] = [];
  for (const [i, served] of row.entries()) {
    const read = ours[i] as Read;
    const alone = readAlone(served);
    if (!isSame(read.outcome, alone.outcome)) fail('history changed an answer', { row, i, ours, alone });
    const whole = upTo(served, alone.length);
    const node = await readByNode(whole);
    // Whoever sends more than was asked for is not asked again.
    const reusable = node.reused && whole === served;
    const difference = differenceOf(whole.pieces.join(''), read, { ...node, reused: reusable });
    if (difference === 'unknown') fail('Node reads something else', { served, ours: read, node });
    if (difference) found.push(difference);
  }
  const answers = ours.filter(({ outcome }) => outcome.kind === 'answer').length;
  return { requests: row.length, answers, differences: found };
}

function fail(what: string, details: object): never {
  throw new Error(`${what}: ${JSON.stringify(details, undefined, 1)}`);
}

function isSame(one: Outcome, other: Outcome): boolean {
  return one.kind === 'refused' ? other.kind === 'refused' : isDeepStrictEqual(one, other);
}

/** Without what comes behind the answer. */
function upTo(served: Served, length: number): Served {
  if (served.pieces.join('').length === length) return served;
  let left = length;
  const pieces = served.pieces.map((piece) => {
    const kept = piece.slice(0, left);
    left -= kept.length;
    return kept;
  });
  return { ...served, pieces: pieces.filter((piece) => piece !== '') };
}

const refusals: Record<string, DifferenceName> = {
  'the server changes to a protocol that was not asked for': 'no other protocol',
  'the answer is no HTTP/1.1': 'only HTTP/1.0 and 1.1',
  'the head of the answer has a control character': 'no control characters',
  'the answer is encoded in a way that was not asked for': 'only chunks',
  'a line of the answer has no proper end': 'whole line ends',
  'a chunk of the answer has an odd extension': 'chunk extensions',
  'a line of the answer is too long': 'limits',
  'the head of the answer is too long': 'limits',
  'the length of the answer is too large': 'limits',
};

function differenceOf(text: string, ours: Read, node: Read): DifferenceName | 'unknown' | undefined {
  const isSameAll = isSame(ours.outcome, node.outcome) && ours.reused === node.reused;
  if (!isSameAll && /^transfer-encoding:[^\r\n]*chunked[\t ]*\t/im.test(text)) return 'chunked and a tab';
  if (!isSame(ours.outcome, node.outcome)) return differentOutcome(text, ours.outcome, node.outcome) ?? 'unknown';
  if (ours.outcome.kind === 'waits' || ours.reused === node.reused) return undefined;
  return !ours.reused && /^HTTP\/1\.0 /m.test(text) && /^transfer-encoding/im.test(text)
    ? 'chunks in HTTP/1.0'
    : 'unknown';
}

function differentOutcome(text: string, ours: Outcome, node: Outcome): DifferenceName | undefined {
  if (ours.kind === 'refused') return refusals[ours.why];
  if (node.kind !== 'refused') return undefined;
  if (node.why.includes('Data after `Connection: close`') && /^HTTP\/1\.[01] 1\d\d/.test(text))
    return 'notice that closes';
  if (node.why.includes('Header overflow') && text.length > 60_000) return 'limits';
  return ours.kind === 'waits' ? 'noticed later' : undefined;
}
