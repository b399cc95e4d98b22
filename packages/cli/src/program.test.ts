import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { fakeSession } from '../test/fake-session.ts';
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

describe('help', () => {
  const program = createProgram(fakeSession());
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
