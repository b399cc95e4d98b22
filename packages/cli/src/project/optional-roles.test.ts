import { join } from 'node:path';
import { optionalRoles } from '@kurator/operator-kurator';
import { expect, it } from 'vitest';
import { rulesOf } from './optional-roles.ts';

const healer = join(import.meta.dirname, '..', '..', '..', '..', 'operators', 'kurator');

it.each(['exec', 'metrics', 'secrets'] as const)(
  'the healer’s optional role %s is what the healer says',
  async (role) => {
    expect(await rulesOf(healer, [role])).toEqual(optionalRoles[role]);
  },
);

it('names those that there are', async () => {
  await expect(rulesOf(healer, ['exec', 'everything'])).rejects.toMatchObject({
    code: 'KUR_CLI_USAGE',
    remedy: 'give one of exec, metrics, secrets',
  });
});

it('are none unless asked for', async () => expect(await rulesOf(healer, [])).toEqual([]));
