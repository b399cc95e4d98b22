/** What `npm test` consists of, from quick to slow. */
import { existsSync } from 'node:fs';
import { missingForContainers, thisMachine } from './containers.mjs';

/**
 * @typedef {object} CheckStage one command: passed or failed
 * @property {'check'} kind
 * @property {string} title
 * @property {string[]} command
 * @property {boolean} [talks] it shows its progress itself
 *
 * @typedef {object} TestsStage a project of vitest.config.ts
 * @property {'tests'} kind
 * @property {string} title
 *
 * @typedef {CheckStage | TestsStage} Stage
 */

/** Where code is. Not all of them exist in every state of the repository, and depcruise refuses one that doesn't. */
const codeFolders = ['packages', 'operators', 'examples', 'scripts', 'e2e', 'benchmarks'].filter((folder) =>
  existsSync(folder),
);

/**
 * What the tests run: the newest Kubernetes. The one before, for nodes that lag behind, takes minutes to build: it is
 * brought in CI alone, and tested where it is.
 */
const versions = process.env.CI === 'true' ? ['1.36', '1.35'] : ['1.36'];
const wanted = missingForContainers(thisMachine()) ? ['1.36'] : ['--nodes', ...versions];

/** @type {Record<string, Stage>} */
export const stages = {
  types: { kind: 'check', title: 'Types', command: ['tsc', '--noEmit'] },
  lint: { kind: 'check', title: 'Lint and format', command: ['biome', 'check', '--error-on-warnings'] },
  imports: {
    kind: 'check',
    title: 'Import rules',
    command: ['depcruise', '--config', '.dependency-cruiser.mjs', ...codeFolders],
  },
  packages: { kind: 'check', title: 'Package gates', command: ['node', 'scripts/package-gates.mjs'] },
  unit: { kind: 'tests', title: 'Unit tests' },
  programs: {
    kind: 'check',
    title: 'Programs of Kubernetes',
    // The first time this takes minutes, which nobody should spend looking at a silent test.
    command: ['node', '--conditions=source', 'packages/cli/src/main.ts', 'cluster', 'fetch', ...wanted],
    talks: true,
  },
  integration: { kind: 'tests', title: 'Integration tests' },
  e2e: { kind: 'tests', title: 'End-to-end tests' },
};

/** What `npm test -- --help` prints. */
export const usage = `npm test [-- [--times] [STAGE…]]
npm run test:unit [-- [--times] [arguments for vitest]]   likewise test:integration, test:e2e

Runs the stages one after another; the last line is how many passed, failed and were skipped.

STAGE      ${Object.keys(stages).join(', ')}; all of them unless named
--times    print where the time went: each stage, its longest files, its slowest tests
--help     print this

KURATOR_TEST_LANES=3 has so many end-to-end tests run side by side; one for each core unless given.

Nodes that are older than their control plane are tested where Kubernetes 1.35 is: with CI=true it is brought, elsewhere
by \`npm run -s kurator -- cluster fetch --nodes 1.35\`, which may take minutes.`;

/**
 * `unit -t 'a name'` is one stage and vitest's arguments; nothing is every stage. `--times` and `--help` are ours.
 *
 * @param {string[]} args
 * @returns {{ names: string[], rest: string[], times: boolean, help: boolean }}
 */
export function chooseStages(args) {
  const others = args.filter((arg) => arg !== '--times' && arg !== '--help');
  const firstOther = others.findIndex((arg) => !(arg in stages));
  const names = firstOther === -1 ? others : others.slice(0, firstOther);
  const rest = firstOther === -1 ? [] : others.slice(firstOther);
  if (rest.length > 0 && names.length !== 1) {
    throw new Error(
      `"${rest[0]}" is not a stage. Stages are ${Object.keys(stages).join(', ')}; other arguments go to one stage, ` +
        'as in `npm run test:unit -- packages/client`.',
    );
  }
  return {
    names: names.length > 0 ? names : Object.keys(stages),
    rest,
    times: args.includes('--times'),
    help: args.includes('--help'),
  };
}
