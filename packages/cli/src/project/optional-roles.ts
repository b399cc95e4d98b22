/** Rights that an operator can be given and works without: named in its package.json, granted only when asked for. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PolicyRule } from '@kurator/client';
import { CliError } from '../error.ts';

/** The rules of the roles that were asked for. @param names Of `kurator.roles` in package.json. */
export async function rulesOf(folder: string, names: readonly string[]): Promise<PolicyRule[]> {
  if (names.length === 0) return [];
  const { kurator = {} } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as {
    kurator?: { roles?: Readonly<Record<string, readonly PolicyRule[]>> };
  };
  const roles = kurator.roles ?? {};
  return names.flatMap((name) => {
    const rules = roles[name];
    if (rules) return rules;
    const known = Object.keys(roles).join(', ');
    throw new CliError('KUR_CLI_USAGE', `this operator has no optional role "${name}"`, {
      remedy: known ? `give one of ${known}` : 'leave --role out: it has none ("kurator.roles" in package.json)',
    });
  });
}
