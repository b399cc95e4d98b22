/** Where the time of `npm test -- --times` went: a line for each stage, then its longest files and its slowest tests. */
import { elapsed } from '../setup/progress.mjs';

/**
 * @typedef {object} FileTimes
 * @property {string} file from the repository's root
 * @property {number} loading milliseconds until its first hook
 * @property {number} running milliseconds of its hooks and tests
 * @property {{ name: string, ms: number }[]} tests
 *
 * @typedef {{ title: string, ms: number, files?: FileTimes[] }} StageTimes `files` of a stage of tests
 */

const LONGEST = 10;
/** Long enough to be recognised, short enough for a line. */
const NAME_LENGTH = 140;

/** @param {StageTimes[]} stages */
export function timesTable(stages) {
  const all = stages.reduce((sum, { ms }) => sum + ms, 0);
  const lines = [
    ...stages.map(({ title, ms, files }) => row(ms, `${title}${inFiles(files)}`)),
    row(all, 'all together'),
  ];
  return ['Where the time went', ...lines, ...stages.flatMap(ofStage)].join('\n');
}

/** @param {FileTimes[] | undefined} files */
function inFiles(files) {
  return files ? `: ${files.length} files, ${elapsed(sumOf(files.map(whole)))} one after the other` : '';
}

/** @param {StageTimes} stage */
function ofStage({ title, files = [] }) {
  if (files.length === 0) return [];
  const tests = files.flatMap(({ file, tests }) => tests.map(({ name, ms }) => ({ ms, name: `${file} > ${name}` })));
  return [
    '',
    `${title}: the longest files`,
    ...longest(files, whole).map((file) => row(whole(file), `${file.file} (${partsOf(file)})`)),
    '',
    `${title}: the slowest tests`,
    ...longest(tests, ({ ms }) => ms).map(({ ms, name }) => row(ms, inShort(name))),
  ];
}

/** @param {FileTimes} times */
function partsOf({ loading, running, tests }) {
  const inTests = sumOf(tests.map(({ ms }) => ms));
  // Tests that run side by side take more together than the file does.
  const inHooks = Math.max(0, running - inTests);
  return `imports ${elapsed(loading)}, hooks ${elapsed(inHooks)}, tests ${elapsed(inTests)}`;
}

/** @param {FileTimes} times */
function whole({ loading, running }) {
  return loading + running;
}

/** @param {number[]} numbers */
function sumOf(numbers) {
  return numbers.reduce((sum, number) => sum + number, 0);
}

/**
 * @template T
 * @param {T[]} items
 * @param {(item: T) => number} ms
 */
function longest(items, ms) {
  return items.toSorted((a, b) => ms(b) - ms(a)).slice(0, LONGEST);
}

/** @param {string} name */
function inShort(name) {
  return name.length > NAME_LENGTH ? `${name.slice(0, NAME_LENGTH - 1)}…` : name;
}

/** @param {number} ms @param {string} text */
function row(ms, text) {
  return `  ${elapsed(ms).padStart(12)}  ${text}`;
}
