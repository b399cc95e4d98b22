/** What has to change in a project so that it holds what generators make. Writes nothing. */
import { readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { CliError } from '../error.ts';
import { changesOf, type FileChange, isChange } from '../files/change.ts';
import type { PlannedFile } from '../files/template.ts';
import { type Generator, isGenerated, type Known } from './generator.ts';

/** What has to change so that the folders of the generators hold what these make, and nothing that was made before. */
export async function planOf(folder: string, chosen: readonly Generator[], known: Known): Promise<FileChange[]> {
  const changes = await Promise.all(chosen.map((generator) => changesBy(folder, generator, known)));
  return changes.flat().filter(isChange);
}

async function changesBy(folder: string, generator: Generator, known: Known): Promise<FileChange[]> {
  const planned = generator.files(known);
  const made = await changesOf(folder, planned);
  const others = await stale(folder, generator, planned);
  if (generator.whole) return [...made, ...others];
  for (const { path, before } of made) if (before !== undefined && !isGenerated(before)) throw handwritten(path);
  return [...made, ...others.filter(({ before = '' }) => isGenerated(before))];
}

/** Files in the generator's folder that it doesn't make, or makes no more. */
async function stale(
  folder: string,
  { folder: below, whole = false }: Generator,
  planned: readonly PlannedFile[],
): Promise<FileChange[]> {
  const wanted = new Set(planned.map(({ path }) => path));
  const entries = await readdir(join(folder, below), { withFileTypes: true, recursive: whole }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile());
  const paths = files.map(({ parentPath, name }) => relative(folder, join(parentPath, name)).split(sep).join('/'));
  const others = paths.filter((path) => !wanted.has(path)).toSorted();
  return await changesOf(
    folder,
    others.map((path) => ({ path, text: undefined })),
  );
}

function handwritten(path: string): CliError {
  return new CliError('KUR_CLI_EDITED', `${path} was not generated, and stays as it is`, {
    remedy: 'move it elsewhere: overlays of kustomize are the place for changes of your own',
  });
}
