import { availableParallelism, totalmem } from 'node:os';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './scripts/stages/longest-first.mjs';
import { aloneFiles, lanesOf, testFiles } from './scripts/stages/test-files.mjs';

const cores = availableParallelism();

/** So that `@kurator/*` means the sources, without a build: in the tests, and in the processes that they start. */
const conditions = ['source', 'node', 'import', 'default'];

/**
 * One more than vitest's own choice (a core less than there are), because tests wait more than they compute: on two
 * cores the integration tests take little more than half as long.
 */
const maxWorkers = Math.max(2, cores);

const endToEnd = { include: testFiles.e2e, testTimeout: 120_000, hookTimeout: 300_000 };

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  // What a global set-up is loaded in: left out, it would be the build, or fail where there is none.
  environments: { __vitest__: { resolve: { conditions, externalConditions: conditions } } },
  test: {
    execArgv: ['--conditions=source'],
    sequence: { sequencer: LongestFirst },
    projects: [
      // Timeouts end what hangs, and measure nothing: long enough for a machine that has other things to do.
      { extends: true, test: { name: 'unit', include: testFiles.unit, testTimeout: 30_000, maxWorkers } },
      {
        extends: true,
        test: {
          name: 'integration',
          maxWorkers,
          include: testFiles.integration,
          globalSetup: ['packages/testenv/test/shared-control-plane.ts'],
          testTimeout: 60_000,
          hookTimeout: 120_000,
          expect: { poll: { timeout: 20_000 } },
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          ...endToEnd,
          exclude: aloneFiles,
          maxWorkers: lanesOf({ cores, memory: totalmem() }),
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: { name: 'e2e-alone', ...endToEnd, include: aloneFiles, maxWorkers: 1, sequence: { groupOrder: 2 } },
      },
    ],
  },
});
