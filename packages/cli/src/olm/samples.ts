/** Objects of the operator's kinds for people to start from: the YAML files of a project's folder `samples`. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { KubernetesObject } from '@kurator/client';
import { CliError } from '@kurator/command';
import { firstLine, yamlDocuments } from '../files/yaml-documents.ts';

export async function readSamples(folder: string): Promise<KubernetesObject[]> {
  const names = await readdir(join(folder, 'samples')).catch(() => [] as string[]);
  const files = names.filter((name) => /\.ya?ml$/.test(name)).toSorted();
  const found = await Promise.all(files.map(async (name) => await samplesIn(join(folder, 'samples', name), name)));
  return found.flat();
}

async function samplesIn(path: string, name: string): Promise<KubernetesObject[]> {
  const documents = yamlDocuments(await readFile(path, 'utf8'));
  const problem = documents.find((document) => document.problem !== undefined)?.problem;
  if (problem !== undefined) {
    const why = firstLine(problem);
    throw new CliError('KUR_CLI_BUNDLE', `samples/${name} is no YAML: ${why}`, { remedy: 'mend or remove it' });
  }
  return documents.map(({ value }) => value as KubernetesObject | null).filter((object) => object !== null);
}
