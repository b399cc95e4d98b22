import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { emptyProgram } from '@kurator/command';
import { fakeSession } from '@kurator/command/testing';
import { expect, it } from 'vitest';
import { declareCommands } from './commands.ts';

const readme = await readFile(join(import.meta.dirname, '..', 'README.md'), 'utf8');
const examples = [...readme.matchAll(/^kurator (tour.*?)\s+#/gm)].map(([, line = '']) => line.trim());

it('finds the examples', () => {
  expect(examples).toHaveLength(3);
});

it.each(examples)('can be typed, as the README says: kurator %s', async (line) => {
  const session = fakeSession();
  const program = emptyProgram('kurator', '0.0.0', session);
  declareCommands(program, session);
  for (const command of program.commands) command.action(() => {});
  await expect(program.parseAsync(line.split(' '), { from: 'user' })).resolves.toBeDefined();
});
