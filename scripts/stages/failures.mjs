/**
 * What failed, in words: repeated at the very end of `npm test`, because a long run's log is often seen by its tail
 * alone, and the stage that failed is then long out of sight.
 */
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

/** Of each failure: enough to see what was expected and where, not the whole log of a cluster. */
const LINES_OF_EACH = 25;

/**
 * @param {import('./counts.mjs').VitestReport | undefined} report
 * @param {readonly string[]} errors that belong to no test
 * @param {string} root
 * @returns {string[]}
 */
export function failuresOf(report, errors, root) {
  if (!report) return ['vitest ended before it wrote its report'];
  return [...failedTests(report, root), ...errors.map((error) => inShort('outside of every test', [error]))];
}

/**
 * @param {import('./counts.mjs').VitestReport} report
 * @param {string} root
 */
function failedTests(report, root) {
  return report.testResults
    .filter((file) => file.status === 'failed')
    .flatMap((file) => {
      const where = relative(root, file.name);
      const tests = file.assertionResults.filter((test) => test.status === 'failed');
      if (tests.length === 0) return [inShort(where, [file.message ?? ''])];
      return tests.map((test) => inShort(`${where} > ${test.fullName}`, test.failureMessages ?? []));
    });
}

/**
 * @param {string} title
 * @param {string[]} messages
 */
function inShort(title, messages) {
  const lines = stripVTControlCharacters(messages.join('\n')).trim().split('\n').slice(0, LINES_OF_EACH);
  return [title, ...lines.map((line) => `    ${line}`)].join('\n');
}
