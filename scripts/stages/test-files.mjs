/** Which test files belong to which stage: read by vitest.config.ts, and counted by `npm test`. */
import { globSync } from 'node:fs';

/** @typedef {'unit' | 'integration' | 'e2e'} TestStage */

/** @type {Record<TestStage, string[]>} */
export const testFiles = {
  unit: [
    'packages/*/src/**/*.test.ts',
    'operators/*/src/**/*.test.ts',
    'benchmarks/**/*.test.ts',
    'scripts/**/*.test.mjs',
  ],
  integration: [
    'packages/*/test/**/*.integration.test.ts',
    'operators/*/test/**/*.integration.test.ts',
    'examples/test/*.integration.test.ts',
  ],
  e2e: ['e2e/**/*.e2e.test.ts'],
};

/**
 * The test files that are there, relative to `root`.
 *
 * @param {string} root
 * @param {TestStage} stage
 */
export function findTestFiles(root, stage) {
  return globSync(testFiles[stage], { cwd: root, exclude: (name) => name === 'node_modules' }).sort();
}
