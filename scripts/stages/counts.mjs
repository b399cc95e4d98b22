/** How many passed, failed and were skipped: the last line of `npm test`. */

/** @typedef {{ passed: number, failed: number, skipped: number }} Counts */

/** @type {Counts} */
export const NOTHING = { passed: 0, failed: 0, skipped: 0 };

/**
 * @param {Counts[]} all
 * @returns {Counts}
 */
export function sum(all) {
  return all.reduce(
    (total, { passed, failed, skipped }) => ({
      passed: total.passed + passed,
      failed: total.failed + failed,
      skipped: total.skipped + skipped,
    }),
    NOTHING,
  );
}

/** @param {Counts} counts */
export function lastLine({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}

/**
 * What a run of vitest came to. A file that fails before its first test has no failed test in the report, and a run
 * can fail with every test passed (an unhandled rejection): neither may look like a success.
 *
 * @param {VitestReport | undefined} report undefined where vitest ended before it wrote one
 * @param {number} exitCode
 * @returns {Counts}
 */
export function countsOf(report, exitCode) {
  if (!report) return { ...NOTHING, failed: 1 };
  const brokenFiles = report.testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  );
  const failed = report.numFailedTests + brokenFiles.length;
  return {
    passed: report.numPassedTests,
    failed: failed === 0 && exitCode !== 0 ? 1 : failed,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

/**
 * What we read of the file that vitest's `json` reporter writes.
 *
 * @typedef {object} VitestReport
 * @property {number} numPassedTests
 * @property {number} numFailedTests
 * @property {number} numPendingTests
 * @property {number} numTodoTests
 * @property {TestedFile[]} testResults
 *
 * @typedef {object} TestedFile
 * @property {string} name
 * @property {string} status
 * @property {string} [message]
 * @property {{ status: string, fullName: string, failureMessages?: string[] }[]} assertionResults
 */
