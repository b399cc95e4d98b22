/** Which test files belong to which stage: read by vitest.config.ts, and counted by `npm test`. */
import { globSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';

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
 * End-to-end tests beside which nothing else may run: those that look at the machine as a whole, and those that need
 * all of its processors: for load, for packets that come in time, for services that are seen to fail at one moment.
 */
export const aloneFiles = [
  'e2e/leaves-nothing.e2e.test.ts',
  'e2e/stories/04-packet-loss.e2e.test.ts',
  'e2e/stories/05-load.e2e.test.ts',
  'e2e/stories/07-storm.e2e.test.ts',
];

/**
 * How many of the other end-to-end tests run side by side. Each has clusters of its own, and waits for them more than it
 * computes; but a cluster that gets too little of the processor is taken for one that is ill.
 *
 * @param {{ cores: number, memory: number }} machine `memory` in bytes
 */
export function lanesOf({ cores, memory }) {
  return Math.max(1, Math.min(Math.floor(cores / CORES_OF_A_LANE), Math.floor(memory / GIB_OF_A_LANE / 2 ** 30)));
}

/** The lanes of this machine, unless `KURATOR_TEST_LANES` says how many. */
export function lanesHere({ KURATOR_TEST_LANES: wanted } = process.env) {
  if (wanted && !/^[1-9]\d*$/.test(wanted))
    throw new Error(`KURATOR_TEST_LANES is ${wanted}: give a number from 1 on.`);
  return wanted ? Number(wanted) : lanesOf({ cores: availableParallelism(), memory: totalmem() });
}

/**
 * Pods come before the host's programs (testenv's cgroups.ts), so that a machine that is busy with another lane does not make
 * services look ill. With three lanes on two cores a storm was not seen as one all the same.
 */
const CORES_OF_A_LANE = 1;
/** Three nodes, the control plane and what a story runs on them, with room to spare. */
const GIB_OF_A_LANE = 4;

/**
 * The test files that are there, relative to `root`.
 *
 * @param {string} root
 * @param {TestStage} stage
 */
export function findTestFiles(root, stage) {
  return globSync(testFiles[stage], { cwd: root, exclude: (name) => name === 'node_modules' }).sort();
}
