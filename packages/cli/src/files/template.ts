/**
 * Files made from the templates of this package: real text in `templates/SET/…`, with `{{names}}` in contents and paths.
 * A template ends in `.tmpl`, so that no tool takes it for a source, and npm packs all of them (`.gitignore` too).
 */
import { readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';

/** A file as it should be: its path below the project's folder, with `/`, and its text. */
export interface PlannedFile {
  readonly path: string;
  readonly text: string;
}

/** What stands for each name; a template that uses another is a mistake of ours. */
export type TemplateValues = Readonly<Record<string, string>>;

const SUFFIX = '.tmpl';
// The same place as seen from src/ and from dist/.
const folder = join(import.meta.dirname, '..', '..', 'templates');

/** The files of one set, sorted by path. */
export async function renderTemplates(set: string, values: TemplateValues): Promise<PlannedFile[]> {
  const root = join(folder, set);
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && entry.name.endsWith(SUFFIX));
  const planned = await Promise.all(
    files.map(async (entry): Promise<PlannedFile> => {
      const file = join(entry.parentPath, entry.name);
      const path = relative(root, file).split(sep).join('/').slice(0, -SUFFIX.length);
      return { path: render(path, values), text: render(await readFile(file, 'utf8'), values) };
    }),
  );
  return planned.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

function render(template: string, values: TemplateValues): string {
  return template.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`a template uses {{${name}}}, which has no value`);
    return value;
  });
}
