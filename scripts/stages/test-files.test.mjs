import { globSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { aloneFiles, findTestFiles, lanesHere, lanesOf, testFiles } from './test-files.mjs';

const root = process.cwd();
const stageNames = /** @type {import('./test-files.mjs').TestStage[]} */ (Object.keys(testFiles));

describe('test files', () => {
  it('each belong to exactly one stage: a test that no stage runs can’t fail', () => {
    const byStage = stageNames.flatMap((stage) => findTestFiles(root, stage)).sort();
    const all = globSync('**/*.test.{ts,mjs}', {
      cwd: root,
      exclude: (name) => ['node_modules', 'dist', '.git'].includes(name),
    }).sort();
    expect(byStage).toEqual(all);
  });

  it('that run alone are there: one that was renamed would run beside others', () => {
    expect(findTestFiles(root, 'e2e')).toEqual(expect.arrayContaining(aloneFiles));
  });
});

describe('lanesOf', () => {
  const gib = 2 ** 30;

  it.each([
    ['one for each core', { cores: 8, memory: 64 * gib }, 8],
    ['two on two cores', { cores: 2, memory: 23 * gib }, 2],
    ['what fits into memory', { cores: 64, memory: 31 * gib }, 7],
    ['one on a small machine', { cores: 1, memory: 2 * gib }, 1],
  ])('is %s', (_, machine, lanes) => {
    expect(lanesOf(machine)).toBe(lanes);
  });
});

describe('lanesHere', () => {
  it('is what somebody wants, where it is a number', () => {
    expect(lanesHere({ KURATOR_TEST_LANES: '3' })).toBe(3);
    expect(lanesHere({})).toBeGreaterThanOrEqual(1);
    expect(() => lanesHere({ KURATOR_TEST_LANES: 'many' })).toThrow('KURATOR_TEST_LANES is many');
  });
});
