import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './scripts/stages/longest-first.mjs';
import { aloneFiles, lanesHere, testFiles } from './scripts/stages/test-files.mjs';

const cores = availableParallelism();

/** So that `@kurator/*` means the sources, without a build: in the tests, and in the processes that they start. */
const conditions = ['source', 'node', 'import', 'default'];

/** Of tests that compute. */
const maxWorkers = Math.max(2, cores);

const endToEnd = { include: testFiles.e2e, testTimeout: 240_000, hookTimeout: 600_000 };

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  // What a global set-up is loaded in: left out, it would be the build, or fail where there is none.
  environments: { __vitest__: { resolve: { conditions, externalConditions: conditions } } },
  test: {
    execArgv: ['--conditions=source'],
    sequence: { sequencer: LongestFirst },
    // As the kit's `eventually`; what vitest itself gives, a second, is little on a busy machine.
    expect: { poll: { timeout: 20_000 } },
    projects: [
      // Timeouts end what hangs, and measure nothing: long enough for a machine that has other things to do.
      {
        extends: true,
        // Each file in a world of its own costs as much again as the tests: they clean up after themselves.
        test: {
          name: 'unit',
          include: testFiles.unit,
          testTimeout: 30_000,
          hookTimeout: 60_000,
          maxWorkers,
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'integration',
          // They wait more than they compute: three of them on two cores left half of both idle.
          maxWorkers: 2 * maxWorkers + 1,
          sequence: { groupOrder: 1 },
          include: testFiles.integration,
          globalSetup: ['packages/testenv/test/shared-control-plane.ts'],
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          ...endToEnd,
          exclude: aloneFiles,
          maxWorkers: lanesHere(),
          sequence: { groupOrder: 2 },
        },
      },
      {
        extends: true,
        test: { name: 'e2e-alone', ...endToEnd, include: aloneFiles, maxWorkers: 1, sequence: { groupOrder: 3 } },
      },
    ],
  },
});
