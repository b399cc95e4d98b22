import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { bringGoPrograms, goPrograms, goProgramsFor } from './go-programs.mjs';
import { findTestFiles } from './test-files.mjs';

const root = process.cwd();
const files = [...findTestFiles(root, 'integration'), ...findTestFiles(root, 'e2e')];

describe('goProgramsFor', () => {
  it('knows test files that are there', () => {
    expect(files).toEqual(expect.arrayContaining(goPrograms.flatMap(({ usedBy }) => usedBy)));
  });

  it.each([
    [[], ['alertmanager', 'helm', 'registry', 'versitygw', 'judge']],
    [['object-store/test/faults'], ['versitygw']],
    [['e2e/chart'], ['helm']],
    [['packages/client'], []],
    [
      ['-t', 'chart'],
      ['alertmanager', 'helm', 'registry', 'versitygw', 'judge'],
    ],
    [['object-store', '-t', 'a bucket'], ['versitygw']],
    [['packages/client', '--bail=1'], []],
  ])('given %j has those that its tests need', (args, names) => {
    expect(goProgramsFor(files, args).map(({ name }) => name)).toEqual(names);
  });
});

/** With a `go` that is told what to do: no registry is needed. */
describe('bringGoPrograms', () => {
  /** @type {string} */
  let place;
  const cat = { name: 'cat', package: 'example.com/cat@v1.0.0', folder: 'cats/v1', variable: 'CAT', usedBy: [] };

  beforeEach(() => {
    place = mkdtempSync(join(tmpdir(), 'kurator-go-'));
    vi.spyOn(console, 'log').mockImplementation(() => {});
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
    rmSync(place, { recursive: true });
  });

  /** @param {string} script */
  function goThat(script) {
    mkdirSync(join(place, 'bin'));
    writeFileSync(join(place, 'bin', 'go'), `#!/bin/sh\n${script}\n`);
    chmodSync(join(place, 'bin', 'go'), 0o755);
    vi.stubEnv('PATH', `${join(place, 'bin')}:${process.env.PATH}`);
  }

  it('builds one the first time, and never again', async () => {
    goThat(`echo "$@" >>${place}/calls; echo meow >"$GOBIN/cat"`);
    const cache = join(place, 'cache');
    const first = await bringGoPrograms([cat], cache);
    expect(first).toEqual({ CAT: join(cache, 'cats/v1/cat') });
    expect(await bringGoPrograms([cat], cache)).toEqual(first);
    expect(readFileSync(join(place, 'calls'), 'utf8')).toBe(
      'install -trimpath -ldflags -s -w example.com/cat@v1.0.0\n',
    );
  });

  it('says why one could not be built, leaves nothing of it, and goes on', async () => {
    goThat('echo "go: downloading all of it" >&2; echo "no such cat" >&2; exit 1');
    expect(await bringGoPrograms([cat], join(place, 'cache'))).toEqual({});
    expect(console.log).toHaveBeenCalledWith('example.com/cat@v1.0.0 could not be built with Go: no such cat');
    expect(readdirSync(join(place, 'cache', 'cats'))).toEqual([]);
  });

  it('says so where there is no Go', async () => {
    vi.stubEnv('PATH', place);
    expect(await bringGoPrograms([cat], join(place, 'cache'))).toEqual({});
    expect(console.log).toHaveBeenCalledWith(expect.stringContaining('there is no go on the PATH'));
  });
});
