/** The files of a new project. */
import { type PlannedFile, renderTemplates } from '../files/template.ts';
import type { SdkSource } from './sdk-source.ts';

/** What a new project is called, and where its packages come from. */
export interface NewProject {
  readonly name: string;
  readonly domain: string;
  readonly source: SdkSource;
}

export async function projectFiles({ name, domain, source }: NewProject): Promise<PlannedFile[]> {
  const { sdk, cli, testenv, overrides } = source;
  const files = await renderTemplates('init', { name, domain, sdk, cli, testenv });
  if (!overrides) return files;
  return files.map((file) => (file.path === 'package.json' ? withOverrides(file, overrides) : file));
}

function withOverrides({ path, text }: PlannedFile, overrides: Readonly<Record<string, string>>): PlannedFile {
  const json = JSON.parse(text) as { dependencies: object; devDependencies: object };
  const direct = { ...json.dependencies, ...json.devDependencies };
  // npm refuses to override what is depended on directly, unless it is by the same words; those need none.
  const others = Object.entries(overrides).filter(([name]) => !(name in direct));
  return { path, text: `${JSON.stringify({ ...json, overrides: Object.fromEntries(others) }, undefined, 2)}\n` };
}
