import { join } from 'node:path';
import { expect, it } from 'vitest';
import { LongestFirst } from './longest-first.mjs';

const root = '/repository';

/**
 * What vitest would run, in which order.
 *
 * @param {string} name of the project
 * @param {string[]} files
 * @param {Record<string, number>} remembered seconds, of the last run here
 */
async function order(name, files, remembered = {}) {
  const cache = {
    getTestSpecificationResult: (/** @type {{ file: string }} */ { file }) =>
      file in remembered ? { duration: Number(remembered[file]) * 1_000, failed: false } : undefined,
  };
  const context = /** @type {any} */ ({ cache, config: { root } });
  const project = { name, config: { sequence: { groupOrder: 0 }, isolate: true } };
  const specifications = files.map((file) => ({
    file,
    moduleId: join(root, file),
    project,
  }));
  const sorted = await new LongestFirst(context).sort(/** @type {any} */ (specifications));
  return sorted.map((each) => /** @type {any} */ (each).file);
}

const short = 'e2e/testenv-readme.e2e.test.ts';
const long = 'e2e/new-operator.e2e.test.ts';

it('begins with what is known to take long', async () => {
  expect(await order('e2e', [short, long])).toEqual([long, short]);
});

it('believes the last run here before what is known of another machine', async () => {
  expect(await order('e2e', [short, long], { [short]: 20, [long]: 10 })).toEqual([short, long]);
});

it('does not leave a story that nobody knows for the end, but a small test', async () => {
  expect(await order('e2e', [short, long, 'e2e/new.e2e.test.ts'])).toEqual(['e2e/new.e2e.test.ts', long, short]);
  const rules = 'operators/kurator/src/brain/simulation/rules.test.ts';
  expect(await order('unit', ['packages/client/src/new.test.ts', rules])).toEqual([
    rules,
    'packages/client/src/new.test.ts',
  ]);
});
