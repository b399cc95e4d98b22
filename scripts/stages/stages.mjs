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

/** What the tests run: the newest Kubernetes and, where there can be nodes, the one before, for nodes that lag behind. */
const wanted = missingForContainers(thisMachine()) ? ['1.36'] : ['--nodes', '1.36', '1.35'];

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

/**
 * `unit -t 'a name'` is one stage and vitest's arguments; nothing is every stage.
 *
 * @param {string[]} args
 * @returns {{ names: string[], rest: string[] }}
 */
export function chooseStages(args) {
  const firstOther = args.findIndex((arg) => !(arg in stages));
  const names = firstOther === -1 ? args : args.slice(0, firstOther);
  const rest = firstOther === -1 ? [] : args.slice(firstOther);
  if (rest.length > 0 && names.length !== 1) {
    throw new Error(
      `"${rest[0]}" is not a stage. Stages are ${Object.keys(stages).join(', ')}; other arguments go to one stage, ` +
        'as in `npm run test:unit -- packages/client`.',
    );
  }
  return { names: names.length > 0 ? names : Object.keys(stages), rest };
}
