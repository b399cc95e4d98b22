import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fakeSession } from '@kurator/command/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { runCommandLine } from '../program.ts';

let place: string;
beforeEach(async () => {
  place = await mkdtemp(join(tmpdir(), 'kurator-init-'));
});
afterEach(() => rm(place, { recursive: true, force: true }));

async function init(...args: string[]) {
  const session = fakeSession();
  await runCommandLine(['init', '--no-install', '--verbose', ...args], session);
  return session.said;
}

describe('kurator init', () => {
  it('makes a project that is called after its folder', async () => {
    const folder = join(place, 'My Operator');
    expect(await init('--domain', 'example.com', folder)).toMatchObject({ code: 0 });
    const json = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
    expect(json).toMatchObject({ name: 'my-operator', kurator: { domain: 'example.com' } });
    expect(await readdir(join(folder, 'src'))).toEqual(['main.ts', 'operator.test.ts', 'operator.ts']);
  });

  it('takes name and domain from the repository, as it is printed in tutorials', async () => {
    const said = await init('--repo', 'github.com/example/myapp-operator', join(place, 'new'));
    expect(said).toMatchObject({ code: 0, stderr: expect.stringContaining('end with example.com') });
    const json = JSON.parse(await readFile(join(place, 'new', 'package.json'), 'utf8'));
    const url = 'git+https://github.com/example/myapp-operator.git';
    expect(json).toMatchObject({ name: 'myapp-operator', kurator: { domain: 'example.com' }, repository: { url } });
  });

  it('has a Makefile whose targets are commands of kurator', async () => {
    await init('--domain', 'example.com', join(place, 'web'));
    const made = (...targets: string[]) =>
      execFileSync('make', ['--no-print-directory', ...targets, 'KURATOR=echo', 'IMG=r.io/web:1'], {
        cwd: join(place, 'web'),
      });
    expect(
      String(made('-s', 'docker-build', 'docker-push', 'deploy', 'undeploy'))
        .trim()
        .split('\n'),
    ).toEqual([
      'build --tag r.io/web:1 --archive dist/image.tar',
      'push dist/image.tar r.io/web:1',
      'deploy --image r.io/web:1',
      'undeploy',
    ]);
  });

  it.each([
    [['--repo', 'my operator'], '--repo "my operator"', 'KUR_CLI_USAGE', 2],
    [['--domain', 'Example'], '--domain "Example" can\'t be used', 'KUR_CLI_USAGE', 2],
    [['--domain', '-.com'], 'use a DNS name such as example.com', 'KUR_CLI_USAGE', 2],
    [['--domain', 'example.com', '--name', 'My_Op'], '--name "My_Op"', 'KUR_CLI_USAGE', 2],
    [[], '--domain is missing, and there is no terminal to ask on', 'KUR_CLI_USAGE', 2],
    [
      ['--domain', 'example.com', '--sdk', '/nowhere'],
      'has neither packages/sdk nor packed packages',
      'KUR_CLI_USAGE',
      2,
    ],
  ])('refuses %j, and makes nothing', async (args, message, code, exit) => {
    const said = await init(...args, join(place, 'new'));
    expect(said.stderr).toContain(message);
    expect(said.stderr).toContain(code);
    expect(said.code).toBe(exit);
    expect(await readdir(place)).toEqual([]);
  });

  it('refuses a folder that is not empty, and touches nothing in it', async () => {
    await writeFile(join(place, 'mine.txt'), 'mine');
    const said = await init('--domain', 'example.com', place);
    expect(said.stderr).toContain('is not empty: it has mine.txt');
    expect(said.stderr).toContain('KUR_CLI_NOT_EMPTY');
    expect(await readdir(place)).toEqual(['mine.txt']);
  });

  it('takes a folder in which there is only a git repository', async () => {
    await mkdir(join(place, '.git'));
    expect(await init('--domain', 'example.com', '--name', 'web', place)).toMatchObject({ code: 0 });
  });

  it('removes nothing when npm fails: the project is whole, and what appeared meanwhile is somebody’s', async () => {
    const bin = join(place, 'bin');
    const project = join(place, 'web');
    await mkdir(bin);
    await mkdir(project);
    await writeFile(join(bin, 'npm'), '#!/bin/sh\necho theirs > theirs.txt; echo no route to npm >&2; exit 1\n', {
      mode: 0o755,
    });
    vi.stubEnv('PATH', `${bin}:${process.env.PATH}`);
    const session = fakeSession();
    await runCommandLine(['init', '--verbose', '--domain', 'example.com', project], session);
    vi.unstubAllEnvs();
    expect(session.said).toMatchObject({ code: 1, stderr: expect.stringContaining('no route to npm') });
    expect(session.said.stderr).toContain('KUR_CLI_INSTALL');
    expect(await readdir(project)).toEqual(expect.arrayContaining(['theirs.txt', 'package.json', 'src']));
  });

  it('says so where a part of the path is a file', async () => {
    await writeFile(join(place, 'file'), '');
    const said = await init('--domain', 'example.com', join(place, 'file', 'new'));
    expect(said.stderr).toContain('KUR_CLI_WRITE');
    expect(await readdir(place)).toEqual(['file']);
  });
});
