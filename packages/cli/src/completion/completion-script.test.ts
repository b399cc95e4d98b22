import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { fakeSession } from '../../test/fake-session.ts';
import { createProgram } from '../program.ts';
import { completionScript } from './completion-script.ts';

const program = createProgram(fakeSession());

/** What bash would offer at the end of a line. */
function offers(line: string): string[] {
  const words = ['kurator', ...line.split(' ')];
  const list = words.map((word) => `'${word}'`).join(' ');
  // The command that the script asks for names, in whose place a function tells what it was asked.
  const script = `kurator() { echo asked-"$1"; shift 2; echo "asked-for:$*"; }
    ${completionScript(program, 'bash')}
    COMP_WORDS=(${list}) COMP_CWORD=${words.length - 1}
    _kurator
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync('bash', ['-c', script], { encoding: 'utf8' }).split('\n').filter(Boolean);
}

describe('in bash', () => {
  it('offers the commands', () => {
    expect(offers('')).toEqual(expect.arrayContaining(['cluster', 'doctor', 'image', 'tour', '--help', '--version']));
  });

  it('completes a command that was begun', () => {
    expect(offers('cluster ku')).toEqual(['kubeconfig', 'kubectl']);
  });

  it('offers the options of the command that is being typed, after others', () => {
    expect(offers('cluster up --name dev --no')).toEqual(['--nodes', '--node-version', '--no-install']);
  });

  it('offers the choices of an argument', () => {
    expect(offers('completion f')).toEqual(['fish']);
  });

  it('offers the values of an option', () => {
    expect(offers('get web -o ')).toEqual(['json', 'yaml', 'wide']);
    expect(offers('incidents --state q')).toEqual(['quarantined']);
    expect(offers('drill web --fault h')).toEqual(['hang']);
  });

  it('asks the command for names, with what has been typed', () => {
    expect(offers('get -A ')).toEqual(['asked-__complete', 'asked-for:get', '-A']);
    expect(offers('describe web -n ')).toEqual(['asked-__complete', 'asked-for:describe', 'web', '-n']);
    expect(offers('get --exit')).toEqual(['--exit-code']);
    expect(offers('build --ta')).toEqual(['--tag']);
  });

  it('does not take a value for a command', () => {
    expect(offers('cluster up --name cluster --aud')).toEqual(['--audit']);
  });
});

it.each(['zsh', 'fish'] as const)('names every command for %s', (shell) => {
  const script = completionScript(program, shell);
  const names = program.commands.flatMap((command) => [command, ...command.commands]).map((command) => command.name());
  for (const name of names) expect(script).toContain(name);
});
