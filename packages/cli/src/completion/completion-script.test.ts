import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { completionAnswer } from '@kurator/command';
import { fakeSession } from '@kurator/command/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createProgram } from '../program.ts';
import { completionScript } from './completion-script.ts';

const program = await createProgram(fakeSession());
const nobody = ['--kubeconfig', '/does/not/exist'];

/** What bash would offer at the end of a line, and what it has asked the command for that. */
async function inBash(words: readonly string[]): Promise<{ offered: string[]; asked: string[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'kurator-completion-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'answer'), await completionAnswer(program, words));
  const list = ['kurator', ...words].map((word) => `'${word}'`).join(' ');
  const script = `kurator() { printf '%s\\n' "$@" > ${folder}/asked; cat ${folder}/answer; }
    ${completionScript('bash')}
    cd ${folder}; mkdir projects; touch image.tar
    COMP_WORDS=(${list}) COMP_CWORD=${words.length}
    _kurator
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  const offered = execFileSync('bash', ['-c', script], { encoding: 'utf8' }).split('\n').filter(Boolean);
  return { offered, asked: readFileSync(join(folder, 'asked'), 'utf8').split('\n').slice(0, -1) };
}

const offers = async (line: string) => (await inBash(line.split(' '))).offered;

describe('in bash', () => {
  it('offers the commands', async () => {
    expect(await offers('')).toEqual(
      expect.arrayContaining(['cluster', 'doctor', 'image', 'tour', '--help', '--version']),
    );
  });

  it('completes a command that was begun', async () => {
    expect(await offers('cluster ku')).toEqual(['kubeconfig', 'kubectl']);
  });

  it('offers the options of the command that is being typed, after others', async () => {
    expect(await offers('cluster up --name dev --no')).toEqual(['--nodes', '--node-version', '--no-install']);
  });

  it('offers the choices of an argument', async () => {
    expect(await offers('completion f')).toEqual(['fish']);
  });

  it('offers the values of an option, also of one with a sign', async () => {
    expect(await offers('cluster status -o ')).toEqual(['json', 'yaml']);
    expect(await offers('incidents --state q')).toEqual(['quarantined']);
    expect(await offers('drill web --fault h')).toEqual(['hang']);
    expect(await offers('cluster status --output = y')).toEqual(['yaml']);
    expect(await offers('cluster status --output =')).toEqual(['json', 'yaml']);
  });

  it('asks the command, with what has been typed', async () => {
    const { asked } = await inBash(['describe', 'web', ...nobody, '-n', '']);
    expect(asked).toEqual(['__complete', '--', 'describe', 'web', ...nobody, '-n', '']);
  });

  it('offers folders where a project is meant', async () => {
    expect(await offers('dev pro')).toEqual(['projects']);
    expect(await offers('get --exit')).toEqual(['--exit-code']);
  });

  it('does not take a value for a command', async () => {
    expect(await offers('cluster up --name cluster --aud')).toEqual(['--audit']);
  });
});

it.each(['bash', 'zsh', 'fish'] as const)('the script for %s knows nothing but how to ask', (shell) => {
  const script = completionScript(shell).replaceAll('/dev/null', '');
  const commands = program.commands.flatMap((command) => [command, ...command.commands]);
  const known = commands.map((command) => command.name()).filter((name) => name !== '__complete');
  expect(script).toContain('kurator __complete -- ');
  expect(known.filter((name) => new RegExp(`\\b${name}\\b`).test(script))).toEqual([]);
  expect(script.split('\n').length).toBeLessThan(20);
});
