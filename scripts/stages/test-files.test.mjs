import { globSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findTestFiles, testFiles } from './test-files.mjs';

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
});
