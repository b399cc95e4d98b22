/**
 * Rights that an operator works without, named in its package.json: `kurator.roles` are granted only when asked for,
 * `kurator.withheldRoles` unless they are to be kept from it.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PolicyRule } from '@kurator/client';
import { CliError } from '@kurator/command';

/** Which of the two. */
type Field = 'roles' | 'withheldRoles';

const options: Readonly<Record<Field, string>> = { roles: '--role', withheldRoles: '--without-role' };

/** The rules of these roles. */
export async function rulesOf(folder: string, field: Field, names: readonly string[]): Promise<PolicyRule[]> {
  if (names.length === 0) return [];
  const { kurator = {} } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as {
    kurator?: Partial<Record<Field, Readonly<Record<string, readonly PolicyRule[]>>>>;
  };
  const roles = kurator[field] ?? {};
  return names.flatMap((name) => {
    const rules = Object.hasOwn(roles, name) ? roles[name] : undefined;
    if (rules) return rules;
    const known = Object.keys(roles).join(', ');
    const what = field === 'roles' ? 'no optional role' : 'no role that can be kept from it,';
    throw new CliError('KUR_CLI_USAGE', `this operator has ${what} "${name}"`, {
      remedy: known
        ? `give one of ${known}`
        : `leave ${options[field]} out: it has none ("kurator.${field}" in package.json)`,
    });
  });
}
