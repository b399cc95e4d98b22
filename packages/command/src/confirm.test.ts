import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { confirm } from './confirm.ts';
import { ENTER, terminal } from './testing/index.ts';

const QUESTION = 'Delete all of it?';

describe('what destroys something', () => {
  it('goes on after a yes at the terminal', async () => {
    const person = terminal([QUESTION, 'y']);
    await confirm(QUESTION, person);
    expect(person.shown()).toContain(QUESTION);
  });

  it('is not done unless somebody says yes', async () => {
    await expect(confirm(QUESTION, terminal([QUESTION, ENTER]))).rejects.toMatchObject({
      code: 'KUR_CLI_NOT_CONFIRMED',
      message: expect.stringContaining('the answer was no'),
    });
  });

  it('is not done where nobody can be asked, and the way to say yes beforehand is named', async () => {
    const { output } = terminal();
    await expect(confirm(QUESTION, { input: new PassThrough(), output })).rejects.toMatchObject({
      code: 'KUR_CLI_NOT_CONFIRMED',
      message: expect.stringContaining('no terminal'),
      remedy: 'give --yes',
    });
  });

  it('is done unasked with --yes', async () => {
    const person = terminal();
    await confirm(QUESTION, { ...person, yes: true });
    expect(person.shown()).toBe('');
  });
});
