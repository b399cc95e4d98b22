import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { expect, it } from 'vitest';
import { commandReference } from '../test/command-reference.ts';
import { fakeSession } from '../test/fake-session.ts';
import { createProgram } from './program.ts';

/** Lines that show a command to type: two spaces or more, or a `#`, begin what is said about it. */
function examplesIn(text: string): string[] {
  const lines = text.split('\n').map((line) => line.trim().replace(/\s+#.*$|\s{2,}.*$/, ''));
  return lines.filter((line) => /^kurator [a-z]/.test(line) && !line.includes('>') && !line.includes('…'));
}

function wordsOf(example: string): string[] {
  return example.split(' ').slice(1);
}

/** Everything that can be typed, doing nothing. */
function idleProgram(): Command {
  const program = createProgram(fakeSession());
  const makeIdle = (command: Command): void => {
    if (command.commands.length === 0) command.action(() => {});
    command.commands.forEach(makeIdle);
  };
  makeIdle(program);
  return program;
}

const readme = await readFile(join(import.meta.dirname, '..', 'README.md'), 'utf8');
const examples = new Set(examplesIn(readme + commandReference(createProgram(fakeSession()))));

it('finds the examples', () => {
  expect(examples.size).toBeGreaterThan(20);
});

it.each([...examples])('can be typed: %s', async (example) => {
  await expect(idleProgram().parseAsync(wordsOf(example), { from: 'user' })).resolves.toBeDefined();
});
