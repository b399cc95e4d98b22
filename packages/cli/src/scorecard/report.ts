/** What was found, for people and for programs. Pure. */
import { type Paint, plain, type Tone } from '@kurator/command';
import { type Level, titleOfLevel } from './check.ts';
import type { Outcome, Result } from './outcome.ts';

export interface Line extends Outcome {
  readonly id: string;
  readonly title: string;
}

export interface LevelReport {
  readonly level: Level;
  readonly title: string;
  /** Unmet if a line is; untested if a line is; else met. */
  readonly result: Result;
  readonly lines: readonly Line[];
}

export interface Report {
  readonly operator: string;
  readonly version: string;
  /** Where it runs, or why that is not known. */
  readonly cluster: string;
  /** What its bundle says of itself. */
  readonly claimed: Level;
  /** The highest level of which, and below which, everything is met; 0 if there is none. */
  readonly reached: Level | 0;
  readonly tests: readonly Line[];
  readonly levels: readonly LevelReport[];
}

export function levelReport(level: Level, lines: readonly Line[]): LevelReport {
  const isAny = (result: Result) => lines.some((line) => line.result === result);
  const result = isAny('unmet') ? 'unmet' : isAny('untested') ? 'untested' : 'met';
  return { level, title: titleOfLevel(level), result, lines };
}

export function reachedLevel(levels: readonly LevelReport[]): Level | 0 {
  const first = levels.findIndex(({ result }) => result !== 'met');
  return (first < 0 ? levels.length : first) as Level | 0;
}

/** How strictly it is judged. */
export interface Judgement {
  /** Up to which level everything must be met. */
  readonly level: Level;
  /** Whether what could not be tested counts as unmet. */
  readonly strict: boolean;
}

/** Whether all is well. */
export function isPassed({ tests, levels }: Report, { level, strict }: Judgement): boolean {
  const lines = [...tests, ...levels.filter((each) => each.level <= level).flatMap((each) => each.lines)];
  return lines.every(({ result }) => result !== 'unmet' && !(strict && result === 'untested'));
}

const words: Readonly<Record<Result, readonly [word: string, tone: Tone]>> = {
  met: ['met', 'good'],
  unmet: ['NOT MET', 'bad'],
  notApplicable: ['n/a', 'dim'],
  untested: ['untested', 'busy'],
};
const LEFT = 10;

export function reportText(report: Report, paint: Paint = plain): string {
  const { operator, version, cluster, claimed, reached, tests, levels } = report;
  const width = Math.max(...[...tests, ...levels.flatMap(({ lines }) => lines)].map(({ id }) => id.length));
  const lines = (some: readonly Line[]) => some.map((line) => lineText(line, width, paint));
  const blocks = levels.flatMap(({ level, title, result, lines: own }) => [
    '',
    `${paint('bold', `Level ${level}, ${title}`)}: ${coloured(result, paint)}`,
    ...lines(own),
  ]);
  const isClaimKept = reached >= claimed;
  return [
    `${operator} ${version}, ${cluster}`,
    '',
    paint('bold', 'Basic and OLM tests'),
    ...lines(tests),
    ...blocks,
    '',
    `${tests.filter(({ result }) => result === 'met').length} of ${tests.length} tests are met. ` +
      `It claims level ${claimed}; what was seen here is level ${reached}${isClaimKept ? '' : `: ${heldUp(report)}`}.`,
  ].join('\n');
}

function coloured(result: Result, paint: Paint): string {
  const [word, tone] = words[result];
  return paint(tone, word);
}

function lineText({ id, title, result, reason, remedy }: Line, width: number, paint: Paint): string {
  const [word, tone] = words[result];
  const below = ' '.repeat(2 + LEFT + width + 2);
  const help = remedy && result !== 'met' ? `\n${below}${paint('dim', `fix: ${remedy}`)}` : '';
  return `  ${paint(tone, word.padEnd(LEFT))}${id.padEnd(width)}  ${title}\n${below}${paint('dim', reason)}${help}`;
}

/** What stands between what was reached and the next level. */
function heldUp({ levels, reached }: Report): string {
  const lines = levels.find(({ level }) => level === reached + 1)?.lines ?? [];
  const missing = lines.filter(({ result }) => result === 'unmet' || result === 'untested');
  return `level ${reached + 1} lacks ${missing.map(({ id }) => id).join(', ')}`;
}
