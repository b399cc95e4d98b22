import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { timesTable } from './times.mjs';

const root = process.cwd();
const cat = {
  file: 'src/cat.test.ts',
  loading: 400,
  running: 3_000,
  tests: [
    { name: 'a cat > purrs', ms: 500 },
    { name: 'a cat > sleeps', ms: 1_500 },
  ],
};

describe('timesTable', () => {
  it('has a line for each stage, and their sum', () => {
    const table = timesTable([
      { title: 'Types', ms: 12_300 },
      { title: 'Unit tests', ms: 48_000, files: [cat, cat] },
    ]);
    expect(table.split('\n').slice(0, 4)).toEqual([
      'Where the time went',
      '        12.3 s  Types',
      '        48.0 s  Unit tests: 2 files, 6.8 s one after the other',
      '     1 min 0 s  all together',
    ]);
  });

  it('names the longest files with what they did, and the slowest tests', () => {
    const dog = { file: 'src/dog.test.ts', loading: 0, running: 9_000, tests: [{ name: 'barks', ms: 9_000 }] };
    const table = timesTable([{ title: 'Unit tests', ms: 9_100, files: [cat, dog] }]);
    expect(table.split('\n\n').slice(1)).toEqual([
      `Unit tests: the longest files
         9.0 s  src/dog.test.ts (imports 0 ms, hooks 0 ms, tests 9.0 s)
         3.4 s  src/cat.test.ts (imports 400 ms, hooks 1.0 s, tests 2.0 s)`,
      `Unit tests: the slowest tests
         9.0 s  src/dog.test.ts > barks
         1.5 s  src/cat.test.ts > a cat > sleeps
        500 ms  src/cat.test.ts > a cat > purrs`,
    ]);
  });

  it('keeps to the ten longest, and to a line for each', () => {
    const files = Array.from({ length: 30 }, (_, i) => ({ ...cat, file: `src/${'long/'.repeat(40)}${i}.test.ts` }));
    const lines = timesTable([{ title: 'Unit tests', ms: 1, files }]).split('\n\n');
    for (const part of lines.slice(1)) expect(part.split('\n')).toHaveLength(11);
  });
});

describe('the reporter of a run', () => {
  it('writes what vitest measured of each file, its hooks too, and what went wrong outside of every test', {
    timeout: 120_000,
  }, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'kurator-times-'));
    try {
      const test = `
        beforeAll(() => new Promise((resolve) => setTimeout(resolve, 300)));
        it('purrs', async () => {
          Promise.reject(new Error('nobody caught it'));
        });`;
      writeFileSync(join(folder, 'cat.test.mjs'), test);
      const told = join(folder, 'run.json');
      const reporter = join(root, 'scripts/stages/run-reporter.mjs');
      const vitest = join(root, 'node_modules/vitest/vitest.mjs');
      const args = [vitest, 'run', '--root', folder, '--globals', `--reporter=${reporter}`];
      const env = { ...process.env, KURATOR_RUN_FILE: told };
      const child = spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'ignore', 'inherit'] });
      await once(child, 'exit');
      const {
        files: [file],
        errors,
      } = JSON.parse(readFileSync(told, 'utf8'));
      expect(file).toMatchObject({ file: 'cat.test.mjs', tests: [{ name: 'purrs', ms: expect.any(Number) }] });
      expect(file.running).toBeGreaterThan(250);
      expect(errors).toEqual([expect.stringContaining('nobody caught it')]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
