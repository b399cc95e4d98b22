import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { completions, emptyProgram } from '@kurator/command';
import { fakeSession } from '@kurator/command/testing';
import { describe, expect, it } from 'vitest';
import { declareCommands } from './commands.ts';
import { createPlugin } from './plugin.ts';

describe('the README', async () => {
  const readme = await readFile(join(import.meta.dirname, '..', 'README.md'), 'utf8');
  const examples = [...readme.matchAll(/^(kubectl kurator|kurator) ([a-z].*?)(\s+#.*)?$/gm)].map(
    ([, name = '', line = '']) => ({ name, line }),
  );

  it('has examples of both', () => {
    expect(new Set(examples.map(({ name }) => name)).size).toBe(2);
  });

  it.each(examples)('shows what can be typed: $name $line', async ({ name, line }) => {
    const session = fakeSession();
    const program = name === 'kurator' ? emptyProgram(name, '0.0.0', session) : createPlugin(session);
    if (name === 'kurator') declareCommands(program, session);
    for (const command of program.commands) command.action(() => {});
    await expect(program.parseAsync(line.split(' '), { from: 'user' })).resolves.toBeDefined();
  });
});

describe('completion of kubectl kurator, without a cluster', () => {
  it('offers what is known, and says nothing', async () => {
    const line = ['get', '--kubeconfig', '/does/not/exist', ''];
    expect(await completions(createPlugin(fakeSession()), line)).toEqual(
      expect.arrayContaining(['--watch', '--output']),
    );
  });

  it('offers what begins with what was typed', async () => {
    expect(await completions(createPlugin(fakeSession()), ['inc'])).toEqual(['incidents']);
  });
});
