/** The files of a new project. */
import { type PlannedFile, renderTemplates } from '../files/template.ts';
import type { SdkSource } from './sdk-source.ts';

/** What a new project is called, and where its packages come from. */
export interface NewProject {
  readonly name: string;
  readonly domain: string;
  /** Where its sources will be, as `github.com/example/web-operator`; unknown unless given. */
  readonly repo?: string | undefined;
  readonly source: SdkSource;
}

export async function projectFiles({ name, domain, repo, source }: NewProject): Promise<PlannedFile[]> {
  const { sdk, cli, testenv, overrides } = source;
  const files = await renderTemplates('init', { name, domain, sdk, cli, testenv });
  return files.map((file) => (file.path === 'package.json' ? completed(file, repo, overrides) : file));
}

/** With what not every project has. */
function completed(file: PlannedFile, repo: string | undefined, overrides: SdkSource['overrides']): PlannedFile {
  if (!repo && !overrides) return file;
  const json = JSON.parse(file.text) as { dependencies: object; devDependencies: object };
  const direct = { ...json.dependencies, ...json.devDependencies };
  // npm refuses to override what is depended on directly, unless it is by the same words; those need none.
  const others = Object.entries(overrides ?? {}).filter(([name]) => !(name in direct));
  const all = {
    ...json,
    ...(repo ? { repository: { type: 'git', url: `git+https://${repo}.git` } } : {}),
    ...(overrides ? { overrides: Object.fromEntries(others) } : {}),
  };
  return { ...file, text: `${JSON.stringify(all, undefined, 2)}\n` };
}
