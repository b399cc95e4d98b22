import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { bringNode, runsOurCode } from './node.mjs';

describe('runsOurCode', () => {
  it.each(['22.19.0', '22.20.1', '24.0.0', '24.21.0', '26.1.0'])('accepts Node %s', (version) => {
    expect(runsOurCode(version)).toBe(true);
  });

  it.each(['18.20.0', '20.20.2', '22.9.0', '22.18.9', '23.11.0', '25.2.0'])('refuses Node %s', (version) => {
    expect(runsOurCode(version)).toBe(false);
  });
});

describe.runIf(process.platform === 'linux')('bringNode', () => {
  /** @type {string} */
  let folder;
  const cached = () => join(folder, 'kurator', 'node');

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'kurator-node-'));
    vi.stubEnv('XDG_CACHE_HOME', folder);
    vi.spyOn(console, 'error').mockReturnValue();
  });

  afterEach(() => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
    rmSync(folder, { recursive: true, force: true });
  });

  /**
   * An npm whose `ci` makes a `node` that prints `version`, and notes what it was asked for.
   *
   * @param {string} version
   */
  function npmWhoseNodePrints(version) {
    const file = join(folder, 'npm-cli.js');
    writeFileSync(
      file,
      `const { appendFileSync, mkdirSync, readFileSync, writeFileSync } = require('node:fs');
       const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
       for (const name of Object.keys(JSON.parse(readFileSync('package.json', 'utf8')).dependencies)) {
         const path = 'node_modules/' + name;
         const locked = packages[path];
         mkdirSync(path + '/bin', { recursive: true });
         writeFileSync(path + '/bin/node', '#!/bin/sh\\necho ${version}\\n', { mode: 0o755 });
         appendFileSync(${JSON.stringify(join(folder, 'asked'))}, locked.integrity + '\\n');
       }`,
    );
    vi.stubEnv('npm_execpath', file);
  }

  const timesAsked = () => readFileSync(join(folder, 'asked'), 'utf8').trim().split('\n').length;

  it('uses the running Node where that is recent enough', async () => {
    expect(await bringNode('24.0.0')).toBe(process.execPath);
  });

  it('brings a Node once, checked against its checksum, and finds it the next time', async () => {
    npmWhoseNodePrints('v24.21.0');
    const node = await bringNode('20.0.0');
    expect(existsSync(node)).toBe(true);
    expect(await bringNode('20.0.0')).toBe(node);
    expect(timesAsked()).toBe(1);
    expect(readFileSync(join(folder, 'asked'), 'utf8')).toMatch(/^sha512-/);
  });

  it('leaves one whole installation when two bring it at once', async () => {
    npmWhoseNodePrints('v24.21.0');
    const [one, other] = await Promise.all([bringNode('20.0.0'), bringNode('20.0.0')]);
    expect(one).toBe(other);
    expect(existsSync(one)).toBe(true);
    expect(readdirSync(cached())).toEqual(['24.21.0']);
  });

  it('refuses a Node that does not run here, and leaves nothing behind', async () => {
    npmWhoseNodePrints('something else');
    await expect(bringNode('20.0.0')).rejects.toThrow('does not run on this machine: it says "something else"');
    expect(readdirSync(cached())).toEqual([]);
  });
});
