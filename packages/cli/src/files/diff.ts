/** Changes of files as people know them from `diff -u`. Pure. */
import type { FileChange } from './change.ts';

const CONTEXT = 3;

interface Line {
  readonly sign: ' ' | '-' | '+';
  readonly text: string;
}

/** The unified diff of one file; empty where nothing changes. */
export function unifiedDiff({ path, before, after }: FileChange): string {
  if (before === after) return '';
  const lines = compare(linesOf(before), linesOf(after));
  const head = [
    `--- ${before === undefined ? '/dev/null' : `a/${path}`}`,
    `+++ ${after === undefined ? '/dev/null' : `b/${path}`}`,
  ];
  return [...head, ...hunks(lines)].join('\n');
}

function linesOf(text: string | undefined): string[] {
  return text ? text.replace(/\n$/, '').split('\n') : [];
}

/** By the longest common subsequence of what is between a common beginning and a common end. */
function compare(before: readonly string[], after: readonly string[]): Line[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let end = 0;
  const room = Math.min(before.length, after.length) - start;
  while (end < room && before.at(-1 - end) === after.at(-1 - end)) end++;
  const same = (text: string): Line => ({ sign: ' ', text });
  return [
    ...before.slice(0, start).map(same),
    ...compareMiddle(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...before.slice(before.length - end).map(same),
  ];
}

function compareMiddle(before: readonly string[], after: readonly string[]): Line[] {
  const lengths = commonLengths(before, after);
  const lines: Line[] = [];
  let i = 0;
  let j = 0;
  while (i < before.length || j < after.length) {
    const sign = nextSign(before, after, lengths, i, j);
    lines.push({ sign, text: (sign === '+' ? after[j] : before[i]) ?? '' });
    if (sign !== '+') i++;
    if (sign !== '-') j++;
  }
  return lines;
}

function nextSign(
  before: readonly string[],
  after: readonly string[],
  lengths: number[][],
  i: number,
  j: number,
): Line['sign'] {
  if (i === before.length) return '+';
  if (j === after.length) return '-';
  if (before[i] === after[j]) return ' ';
  return at(lengths, i + 1, j) >= at(lengths, i, j + 1) ? '-' : '+';
}

/** At [i][j]: how many lines the rests from i and from j have in common. */
function commonLengths(before: readonly string[], after: readonly string[]): number[][] {
  const lengths = Array.from({ length: before.length + 1 }, () => new Array<number>(after.length + 1).fill(0));
  for (let i = before.length - 1; i >= 0; i--) {
    const row = lengths[i] ?? [];
    for (let j = after.length - 1; j >= 0; j--) {
      row[j] =
        before[i] === after[j] ? at(lengths, i + 1, j + 1) + 1 : Math.max(at(lengths, i + 1, j), at(lengths, i, j + 1));
    }
  }
  return lengths;
}

function at(lengths: number[][], i: number, j: number): number {
  return lengths[i]?.[j] ?? 0;
}

function hunks(lines: readonly Line[]): string[] {
  const changed = lines.flatMap(({ sign }, index) => (sign === ' ' ? [] : [index]));
  const ranges: { from: number; to: number }[] = [];
  for (const index of changed) {
    const last = ranges.at(-1);
    if (last && index <= last.to + 2 * CONTEXT) last.to = index;
    else ranges.push({ from: index, to: index });
  }
  return ranges.flatMap(({ from, to }) =>
    hunk(lines, Math.max(0, from - CONTEXT), Math.min(lines.length, to + 1 + CONTEXT)),
  );
}

function hunk(lines: readonly Line[], from: number, to: number): string[] {
  const count = (some: readonly Line[], without: string) => some.filter(({ sign }) => sign !== without).length;
  const part = lines.slice(from, to);
  const range = (without: string) => {
    const length = count(part, without);
    const begin = count(lines.slice(0, from), without) + (length > 0 ? 1 : 0);
    return `${begin},${length}`;
  };
  return [`@@ -${range('+')} +${range('-')} @@`, ...part.map(({ sign, text }) => sign + text)];
}
