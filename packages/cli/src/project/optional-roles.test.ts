import { join } from 'node:path';
import { optionalRoles, withheldRoles } from '@kurator/operator-kurator';
import { expect, it } from 'vitest';
import { rulesOf } from './optional-roles.ts';

const healer = join(import.meta.dirname, '..', '..', '..', '..', 'operators', 'kurator');

it.each(['exec', 'metrics', 'secrets'] as const)(
  'the healer’s optional role %s is what the healer says',
  async (role) => {
    expect(await rulesOf(healer, 'roles', [role])).toEqual(optionalRoles[role]);
  },
);

it('the healer’s role that can be withheld is what the healer says', async () => {
  expect(await rulesOf(healer, 'withheldRoles', ['workloads'])).toEqual(withheldRoles.workloads);
});

it('names those that there are', async () => {
  await expect(rulesOf(healer, 'roles', ['exec', 'everything'])).rejects.toMatchObject({
    code: 'KUR_CLI_USAGE',
    remedy: 'give one of exec, metrics, secrets',
  });
});

it('are none unless asked for', async () => expect(await rulesOf(healer, 'roles', [])).toEqual([]));
