import { readFile } from 'node:fs/promises';
import { fakeSession } from '@kurator/command/testing';
import { expect, it } from 'vitest';
import { commandReference } from '../test/command-reference.ts';
import { createProgram } from './program.ts';

it('is what docs/reference/cli.md says', async () => {
  const text = commandReference(await createProgram(fakeSession()));
  await expect(text).toMatchFileSnapshot('../../../docs/reference/cli.md');
});

it('is, command by command, in what docs/reference/what-commands-change.md tells of', async () => {
  const page = await readFile('docs/reference/what-commands-change.md', 'utf8');
  const rows = page.split('\n').flatMap((line) => /^\| (`.*?) \|/.exec(line)?.[1] ?? []);
  const told = new Set(rows.flatMap((row) => [...row.matchAll(/`([a-z]+)/g)].map(([, name]) => name)));
  const program = await createProgram(fakeSession());
  const commands = program.createHelp().visibleCommands(program);
  expect(commands.map((command) => command.name()).filter((name) => !told.has(name))).toEqual([]);
});
