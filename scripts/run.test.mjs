import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const here = dirname(fileURLToPath(import.meta.url));

/** A clone of its own with one dependency, and an npm that is told what to do: no registry is needed. */
describe('run.mjs', () => {
  /** @type {string} */
  let clone;
  const packages = { 'node_modules/yaml': { version: '2.9.1' } };

  beforeEach(() => {
    clone = mkdtempSync(join(tmpdir(), 'kurator-clone-'));
    mkdirSync(join(clone, 'scripts'));
    cpSync(join(here, 'run.mjs'), join(clone, 'scripts', 'run.mjs'));
    cpSync(join(here, 'setup'), join(clone, 'scripts', 'setup'), { recursive: true });
    writeFileSync(join(clone, 'package-lock.json'), JSON.stringify({ packages }));
  });
  afterEach(() => rmSync(clone, { recursive: true, force: true }));

  /** @param {string} code */
  function npmThat(code) {
    writeFileSync(join(clone, 'npm-cli.js'), `const fs = require('node:fs');\n${code}`);
  }
  const npmInstalls = `
    fs.appendFileSync('npm-calls', process.argv.slice(2).join(' ') + '\\n');
    fs.mkdirSync('node_modules/yaml', { recursive: true });
    fs.writeFileSync('node_modules/.package-lock.json', '${JSON.stringify({ packages })}');`;
  const npmCalls = () => readFileSync(join(clone, 'npm-calls'), 'utf8').trim().split('\n');

  /**
   * @param {string} code of the script to run
   * @param {string[]} args
   */
  function start(code, args = []) {
    writeFileSync(join(clone, 'script.mjs'), code);
    return spawn(process.execPath, [join(clone, 'scripts', 'run.mjs'), 'script.mjs', ...args], {
      cwd: clone,
      env: { ...process.env, npm_execpath: join(clone, 'npm-cli.js') },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  /** @param {import('node:child_process').ChildProcessByStdio<null, import('node:stream').Readable, import('node:stream').Readable>} child */
  async function ended(child) {
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (chunk) => {
      stdout += chunk;
    });
    child.stderr.on('data', (chunk) => {
      stderr += chunk;
    });
    const [code, signal] = await once(child, 'close');
    return { code, signal, stdout, stderr };
  }

  it('installs what is missing, says so on standard error, and goes on', async () => {
    npmThat(npmInstalls);
    const { stdout, stderr, code } = await ended(start('console.log(process.argv.slice(2).join())', ['a', 'b c']));
    expect({ stdout, code }).toEqual({ stdout: 'a,b c\n', code: 0 });
    expect(stderr).toContain('Installing 1 packages');
    expect(npmCalls()).toEqual(['install --no-save --include=dev --loglevel=error']);
  });

  it('installs nothing where everything is there', async () => {
    npmThat(npmInstalls);
    await ended(start(''));
    const { stderr } = await ended(start(''));
    expect(stderr).toBe('');
    expect(npmCalls()).toHaveLength(1);
  });

  it('installs once when two start at once', async () => {
    npmThat(npmInstalls);
    const both = await Promise.all([ended(start('')), ended(start(''))]);
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    expect(npmCalls()).toHaveLength(1);
  });

  it('starts afresh from what an interrupted installation left', async () => {
    npmThat(npmInstalls);
    mkdirSync(join(clone, 'node_modules', 'half'), { recursive: true });
    await ended(start(''));
    expect(readdirSync(join(clone, 'node_modules'))).not.toContain('half');
  });

  it('runs nothing when what was installed is not what the lock file names', async () => {
    npmThat(npmInstalls.replace('2.9.1', '2.9.2'));
    const { stdout, stderr, code } = await ended(start('console.log("ran")'));
    expect({ stdout, code }).toEqual({ stdout: '', code: 1 });
    expect(stderr).toContain('package.json and package-lock.json do not belong together');
  });

  it('runs nothing when the registry is out of reach, and says what to check', async () => {
    npmThat(`console.error('npm error code ECONNREFUSED'); process.exit(1);`);
    const { stdout, stderr, code } = await ended(start('console.log("ran")'));
    expect({ stdout, code }).toEqual({ stdout: '', code: 1 });
    expect(stderr).toContain("The package registry can't be reached");
    expect(stderr).toContain('npm config get registry');
  });

  it('ends with the exit code of the script', async () => {
    npmThat(npmInstalls);
    expect((await ended(start('process.exit(7)'))).code).toBe(7);
  });

  it('passes a signal on, and lets the script clean up', async () => {
    npmThat(npmInstalls);
    const child = start(`process.on('SIGTERM', () => { console.log('cleaned up'); process.exit(3); });
      console.log('ready'); setInterval(() => {}, 1000);`);
    const end = ended(child);
    await once(child.stdout, 'data');
    child.kill('SIGTERM');
    expect(await end).toMatchObject({ code: 3, stdout: 'ready\ncleaned up\n' });
  });

  it('ends by the signal that ended the script', async () => {
    npmThat(npmInstalls);
    const child = start(`console.log('ready'); setInterval(() => {}, 1000);`);
    const end = ended(child);
    await once(child.stdout, 'data');
    child.kill('SIGINT');
    expect(await end).toMatchObject({ code: null, signal: 'SIGINT' });
  });

  it('ends at once and leaves no lock when it is interrupted during the installation', async () => {
    npmThat(`process.on('SIGINT', () => {}); fs.writeFileSync('npm-started', ''); setInterval(() => {}, 1000);`);
    const child = start('console.log("ran")');
    const end = ended(child);
    await expect.poll(() => readFileSync(join(clone, 'npm-started'), 'utf8'), { timeout: 10_000 }).toBe('');
    child.kill('SIGINT');
    expect(await end).toMatchObject({ signal: 'SIGINT', stdout: '' });
    expect(() => readFileSync(join(clone, '.npm-install.lock'))).toThrow('ENOENT');
  });
});
