/** Which metrics show that an operator did by itself what the highest level asks for: only its author knows. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CliError } from '@kurator/command';

/** What nobody can see from outside. */
export const deeds = ['heal', 'scale', 'tune'] as const;
export type Deed = (typeof deeds)[number];
export type Evidence = Readonly<Partial<Record<Deed, string>>>;

/** The section `kurator.scorecard` of a package.json: `{ "heal": "web_repairs_total" }`. None where there is no such file. */
export async function evidenceIn(folder: string): Promise<Evidence> {
  const text = await readFile(join(folder, 'package.json'), 'utf8').catch(() => '{}');
  const { kurator = {} } = JSON.parse(text) as { kurator?: { scorecard?: Record<string, unknown> } };
  const given = kurator.scorecard ?? {};
  for (const [name, metric] of Object.entries(given)) {
    if ((deeds as readonly string[]).includes(name) && typeof metric === 'string') continue;
    throw new CliError('KUR_CLI_PROJECT', `kurator.scorecard.${name} in package.json can't be used`, {
      remedy: `name a metric for ${deeds.join(', ')}: { "heal": "web_repairs_total" }`,
    });
  }
  return given as Evidence;
}
