import { expect, it } from 'vitest';
import { commandReference } from '../test/command-reference.ts';
import { fakeSession } from '../test/fake-session.ts';
import { createProgram } from './program.ts';

it('is what docs/reference/cli.md says', async () => {
  const text = commandReference(createProgram(fakeSession()));
  await expect(text).toMatchFileSnapshot('../../../docs/reference/cli.md');
});
