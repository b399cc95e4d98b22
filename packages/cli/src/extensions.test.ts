import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type Command, completions, emptyProgram, runCommandLine } from '@kurator/command';
import { fakeSession } from '@kurator/command/testing';
import { describe, expect, it } from 'vitest';
import { declareExtensions, extensions, type LoadCommands } from './extensions.ts';

const all = extensions.flatMap(({ commands }) => commands);

async function programWith(load?: LoadCommands, session = fakeSession()): Promise<Command> {
  const program = emptyProgram('kurator', '0.0.0', session);
  await declareExtensions(program, session, load);
  return program;
}

async function run(load: LoadCommands, ...args: string[]) {
  const session = fakeSession();
  await runCommandLine(args, session, async () => await programWith(load, session));
  return session.said;
}

function notThere(packageName: string): Error {
  return Object.assign(new Error(`Cannot find package '${packageName}' imported from /a/cli.js`), {
    code: 'ERR_MODULE_NOT_FOUND',
  });
}

const nothing: LoadCommands = async (name) => {
  throw notThere(name);
};

describe('a package that brings commands', () => {
  it.each(extensions)('has the commands that kurator knows of: $name', async ({ name, commands }) => {
    const load: LoadCommands = async (each) => (each === name ? await import(`${name}/commands`) : await nothing(each));
    const program = await programWith(load);
    expect(
      program
        .createHelp()
        .visibleCommands(program)
        .map((command) => command.name()),
    ).toEqual(commands);
  });

  it('is found where it is installed', async () => {
    const program = await programWith();
    expect(program.commands.map((command) => command.name())).toEqual(all);
  });
});

describe('where it is not installed', () => {
  it.each([
    [['tour', '--once'], '@kurator/tour'],
    [['get', 'web', '-n', 'shop'], '@kurator/kubectl-kurator'],
    [['drill', '--help'], '@kurator/kubectl-kurator'],
  ])('%j says how to get it', async (args, name) => {
    const { stdout, stderr, code } = await run(nothing, ...args);
    expect(stderr).toBe(
      `error: kurator ${args[0]} comes with ${name}, which is not installed\n  fix: npm install --global ${name}\n`,
    );
    expect({ stdout, code }).toEqual({ stdout: '', code: 2 });
  });

  it('the help names what there is to get, and completion offers none of it', async () => {
    const { stdout } = await run(nothing, '--help');
    expect(stdout).toContain('More commands:\n  tour\n    to see Kurator at work: npm install --global @kurator/tour');
    expect(await completions(await programWith(nothing), [''])).toEqual(['--version', '--help']);
  });

  it('Node says so as it is expected to', async () => {
    const asked =
      "await import('@kurator/is-not-there/commands').catch(({ code, message }) => console.log(code, message))";
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', asked]);
    expect(stdout).toContain("ERR_MODULE_NOT_FOUND Cannot find package '@kurator/is-not-there' imported from");
  });
});

it("a package that is broken says what is wrong with it, and is in nobody's way", async () => {
  const load: LoadCommands = async (name) => {
    if (name === '@kurator/tour') throw notThere('@kurator/testenv');
    return await import(`${name}/commands`);
  };
  const { stderr, code } = await run(load, 'tour');
  expect(stderr).toContain("which can't be loaded: Cannot find package '@kurator/testenv'");
  expect(code).toBe(2);
  expect((await run(load, 'get', '--help')).stdout).toContain('Usage: kurator get');
});
