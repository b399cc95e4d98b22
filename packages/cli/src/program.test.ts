import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from '@kurator/command';
import { fakeSession } from '@kurator/command/testing';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createProgram, runCommandLine } from './program.ts';

async function run(...args: string[]) {
  const session = fakeSession();
  await runCommandLine(args, session);
  return session.said;
}

describe('the command line', () => {
  it('prints its version on standard output', async () => {
    expect(await run('--version')).toMatchObject({ stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/), code: 0 });
  });

  it('leaves --version to commands that have one', async () => {
    const { stderr, code } = await run('cluster', 'up', '--version');
    expect(stderr).toContain("option '--version <version>' argument missing");
    expect(code).toBe(2);
  });

  it.each([
    [['clustr'], '(Did you mean cluster?)'],
    [['cluster', 'up', '--nodes', 'many'], 'Use a whole number from 0 to 32.'],
    [['cluster', 'up', '--nodes', '33'], 'Use a whole number from 0 to 32.'],
    [['cluster', 'up', '--nodes', '2', '--control-plane-only'], 'cannot be used with'],
    [['cluster', 'up', '--port', '70000'], 'Use a whole number from 1 to 65535.'],
    [['cluster', 'up', 'dev'], 'too many arguments'],
    [['cluster', 'down', '--all', '--name', 'dev'], 'cannot be used with'],
    [['cluster', 'load'], "missing required argument 'archive'"],
    [['cluster', 'logs', 'etcd', '--lines', '-1'], 'Use a whole number'],
    [['image', 'build'], "required option '--tag <name>' not specified"],
    [['completion', 'tcsh'], 'Allowed choices are bash, zsh, fish.'],
    [['cluster', 'list', '-o', 'table'], 'Allowed choices are json, yaml, name.'],
    [
      ['deploy', '--timeout', 'soon'],
      "option '--timeout <duration>' argument 'soon' is invalid. Use a duration such as",
    ],
    [['deploy', '-n', 'My_Shop'], 'Use small letters, digits and dashes'],
    [['install', '--watch-namespace', 'a,b'], "option '--watch-namespace <namespace>' argument 'a,b' is invalid."],
    [['build', '--platform', 'arm64'], 'Use platforms such as linux/amd64,linux/arm64'],
    [['build', '-o', 'jsn'], 'Allowed choices are json, yaml, name.'],
    [['generate', 'crd'], '"crd" is no folder, and nothing that can be generated'],
    [
      ['image', 'build', '--tag', 'web:v1', '--binary', 'web', '--platform', 'linux/amd64,linux/arm64'],
      "--binary 'dist/web-{arch}'",
    ],
    [
      ['image', 'build', '--tag', 'web:v1', '--busybox', '--platform', 'linux/s390x'],
      '--platform linux/s390x does not go',
    ],
    [['push', '-', 'web:v1', '--sbom', '-'], 'the archive and --sbom are both -'],
  ])('refuses %j with exit code 2 and a hint', async (args, hint) => {
    const { stdout, stderr, code } = await run(...args);
    expect(stderr).toContain(hint);
    expect({ stdout, code }).toEqual({ stdout: '', code: 2 });
  });

  it('shows help on standard error, as a mistake, where a command is missing', async () => {
    const { stdout, stderr, code } = await run('cluster');
    expect(stderr).toContain('Usage: kurator cluster');
    expect({ stdout, code }).toEqual({ stdout: '', code: 2 });
  });
});

describe('older spellings', () => {
  beforeEach(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'kurator-program-'));
    vi.stubEnv('XDG_STATE_HOME', folder);
    onTestFinished(async () => {
      vi.unstubAllEnvs();
      await rm(folder, { recursive: true });
    });
  });

  it('go on working, with a hint on standard error', async () => {
    expect(await run('cluster', 'list', '--json')).toEqual({
      stdout: '[]\n',
      stderr: 'hint: --json is now --output json\n',
      code: 0,
    });
    expect(await run('cluster', 'list', '-o', 'json')).toEqual({ stdout: '[]\n', stderr: '', code: 0 });
  });

  it.each([
    [['deploy', '--watch', 'shop', '--watch', 'blog'], '--watch is now --watch-namespace'],
    [['undeploy', '--watch', 'shop'], '--watch is now --watch-namespace'],
    [['dev', '--watch', 'shop'], '--watch is now --watch-namespace'],
    [['deploy', '--take-over'], '--take-over is now --force-conflicts'],
    [['deploy', '--force'], '--force is now --allow-breaking-crds'],
    [['build', '--output', 'dist/image.tar'], '--output FILE is now --archive FILE'],
    [['bundle', '--output', 'out'], '--output is now --output-dir'],
  ])('%j: %s, said once', async (args, hint) => {
    const [folder] = args[0] === 'install' ? [] : ['/does/not/exist'];
    const { stderr, code } = await run(...args, ...(folder ? [folder] : ['--image', 'a', '--load']));
    expect(stderr.split(`hint: ${hint}\n`)).toHaveLength(2);
    expect(stderr).toContain(folder ? '/does/not/exist is not an operator' : 'the image has two sources');
    expect(code).toBe(folder ? 1 : 2);
  });

  it('of drill too: a pod is a pod', async () => {
    const { stdout, stderr, code } = await run('drill', '--list', '--instance', 'web-1');
    expect({ stderr, code }).toEqual({ stderr: 'hint: --instance is now --pod\n', code: 0 });
    expect(stdout).toContain('hang');
  });

  it('are judged as the new ones are', async () => {
    const { stderr, code } = await run('deploy', '--watch', 'My_Shop');
    expect(stderr).toContain("option '--watch-namespace <namespace>' argument 'My_Shop' is invalid.");
    expect(code).toBe(2);
  });

  it('are not in the help', async () => {
    expect((await run('deploy', '--help')).stdout).not.toMatch(/--take-over|--watch </);
  });
});

describe('help', async () => {
  it('has the commands in groups', async () => {
    const { stdout } = await run('--help');
    const groups = [...stdout.matchAll(/^([A-Z].*):$/gm)].map(([, title]) => title);
    expect(groups).toEqual([
      'Options',
      'Write an operator',
      'Ship it',
      'Clusters and images on this machine',
      'Keep services healthy',
      'The command itself',
      'Examples',
    ]);
  });

  const program = await createProgram(fakeSession());
  const paths = (command: Command, path: string[]): string[][] =>
    command
      .createHelp()
      .visibleCommands(command)
      .flatMap((each) => [[...path, each.name()], ...paths(each, [...path, each.name()])]);

  it.each(paths(program, []).map((path) => [path.join(' '), path] as const))(
    'explains `kurator %s`',
    async (name, path) => {
      const { stdout, code } = await run(...path, '--help');
      expect(stdout).toContain(`Usage: kurator ${name}`);
      expect(stdout.split('\n')[2]).toMatch(/^[a-z].{10}/);
      expect(code).toBe(0);
    },
  );
});
