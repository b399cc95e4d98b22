import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { CTRL_C, ENTER, terminal } from '../testing/index.ts';
import { given, questions } from './questions.ts';

describe('a question', () => {
  it('is answered by what is typed', async () => {
    const person = terminal(['Which domain?', `example.com${ENTER}`]);
    expect(await given('--domain', undefined, { message: 'Which domain?' }, questions(person))).toBe('example.com');
  });

  it('offers what it would take itself', async () => {
    const person = terminal(['Which version?', ENTER]);
    const question = { message: 'Which version?', initial: 'v1alpha1' };
    expect(await given('--version', undefined, question, questions(person))).toBe('v1alpha1');
  });

  it('is asked again, with what is wrong, until the answer can be used', async () => {
    const problem = (answer: string) => (/^[A-Z]/.test(answer) ? undefined : 'begin with a capital letter');
    const backspaces = '\x7f'.repeat(5);
    const person = terminal(['Which kind?', `myapp${ENTER}`], ['capital letter', `${backspaces}MyApp${ENTER}`]);
    expect(await given('--kind', undefined, { message: 'Which kind?', problem }, questions(person))).toBe('MyApp');
    expect(person.shown()).toContain('begin with a capital letter');
  });

  it('is not asked where the flag was given', async () => {
    const person = terminal();
    expect(await given('--kind', 'MyApp', { message: 'Which kind?' }, questions(person))).toBe('MyApp');
    expect(person.shown()).toBe('');
  });

  it('that is broken off with Ctrl-C ends the command as Ctrl-C does elsewhere', async () => {
    const person = terminal(['Which kind?', CTRL_C]);
    await expect(given('--kind', undefined, { message: 'Which kind?' }, questions(person))).rejects.toMatchObject({
      name: 'Interrupted',
      signal: 'SIGINT',
    });
  });

  it('of yes or no is no unless somebody says yes', async () => {
    expect(await questions(terminal(['Overwrite?', ENTER]))?.confirm('Overwrite?')).toBe(false);
    expect(await questions(terminal(['Overwrite?', 'y']))?.confirm('Overwrite?')).toBe(true);
  });
});

describe('without a terminal', () => {
  it('nobody is asked: the flag is named', async () => {
    const { output } = terminal();
    expect(questions({ input: new PassThrough(), output })).toBeUndefined();
    await expect(given('--kind', undefined, { message: 'Which kind?' }, undefined)).rejects.toMatchObject({
      code: 'KUR_CLI_USAGE',
      remedy: 'give --kind',
    });
  });
});
