import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from '@kurator/command';
import { fakeSession } from '@kurator/command/testing';
import { expect, it } from 'vitest';
import { commandReference } from '../test/command-reference.ts';
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
async function idleProgram(): Promise<Command> {
  const program = await createProgram(fakeSession());
  const makeIdle = (command: Command): void => {
    if (command.commands.length === 0) command.action(() => {});
    command.commands.forEach(makeIdle);
  };
  makeIdle(program);
  return program;
}

const readme = await readFile(join(import.meta.dirname, '..', 'README.md'), 'utf8');
const examples = new Set(examplesIn(readme + commandReference(await createProgram(fakeSession()))));

it('finds the examples', () => {
  expect(examples.size).toBeGreaterThan(20);
});

it.each([...examples])('can be typed: %s', async (example) => {
  const program = await idleProgram();
  await expect(program.parseAsync(wordsOf(example), { from: 'user' })).resolves.toBeDefined();
});
