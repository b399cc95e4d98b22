/** Objects of the operator's kinds for people to start from: the YAML files of a project's folder `samples`. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { KubernetesObject } from '@kurator/client';
import { parseAllDocuments } from 'yaml';
import { CliError } from '../error.ts';

export async function readSamples(folder: string): Promise<KubernetesObject[]> {
  const names = await readdir(join(folder, 'samples')).catch(() => [] as string[]);
  const files = names.filter((name) => /\.ya?ml$/.test(name)).toSorted();
  const found = await Promise.all(files.map(async (name) => await samplesIn(join(folder, 'samples', name), name)));
  return found.flat();
}

async function samplesIn(path: string, name: string): Promise<KubernetesObject[]> {
  const documents = parseAllDocuments(await readFile(path, 'utf8'));
  if (!Array.isArray(documents)) return [];
  const broken = documents.find((document) => document.errors.length > 0);
  if (broken) {
    const why = broken.errors[0]?.message.split('\n')[0];
    throw new CliError('KUR_CLI_BUNDLE', `samples/${name} is no YAML: ${why}`, { remedy: 'mend or remove it' });
  }
  return documents.map((document) => document.toJS() as KubernetesObject | null).filter((object) => object !== null);
}
