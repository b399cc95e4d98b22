/** Other people's definitions: kept in a project's folder `crds`, so that its types can be made again without a cluster. */
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { createClient, loadConfig } from '@kurator/client';
import { CustomResourceDefinition } from '@kurator/client/apiextensions/v1';
import { CliError, readNamed } from '@kurator/command';
import { yamlFile } from '../files/generated-file.ts';
import type { PlannedFile } from '../files/template.ts';
import { yamlDocuments } from '../files/yaml-documents.ts';

/** Where they are, below the project's folder. */
export const FOREIGN_CRDS = 'crds';

/** Those that the project has, or will have. @param fetched Files of that folder that are yet to be written. */
export async function foreignCrds(
  projectFolder: string,
  fetched: readonly PlannedFile[] = [],
): Promise<CustomResourceDefinition[]> {
  const folder = join(projectFolder, FOREIGN_CRDS);
  const texts = new Map(fetched.map(({ path, text }) => [basename(path), text]));
  const names = new Set([...(await readdir(folder).catch(() => [])), ...texts.keys()]);
  const files = [...names].filter((name) => /\.ya?ml$/.test(name)).toSorted();
  const found = await Promise.all(
    files.map(async (name) => crdsIn(texts.get(name) ?? (await readFile(join(folder, name), 'utf8')), name)),
  );
  return found.flat();
}

/** Brings definitions into the project: from a file, or by name from the cluster of the current context. */
export async function fetchCrds(sources: readonly string[], signal: AbortSignal): Promise<PlannedFile[]> {
  const found = await Promise.all(sources.map((source) => crdsFrom(source, signal)));
  return found.flat().map((crd) => {
    const { apiVersion, kind, metadata, spec } = crd;
    return yamlFile(`${FOREIGN_CRDS}/${metadata.name}.yaml`, [
      { apiVersion, kind, metadata: { name: metadata.name }, spec },
    ]);
  });
}

async function crdsFrom(source: string, signal: AbortSignal): Promise<CustomResourceDefinition[]> {
  if (source === '-') return crdsIn(await readNamed('--types-from', source), 'standard input');
  const text = await readFile(source, 'utf8').catch(() => undefined);
  if (text !== undefined) return crdsIn(text, source);
  if (/[/\\]|\.(ya?ml|json)$/.test(source)) {
    throw new CliError('KUR_CLI_USAGE', `--types-from ${source}: there is no such file`, {
      remedy: 'name a file that is there',
    });
  }
  const client = createClient(await loadConfig());
  try {
    return [await client.get(CustomResourceDefinition, { name: source }, { signal })];
  } finally {
    await client.close();
  }
}

/** Every definition in a text; other objects are passed over. */
function crdsIn(text: string, name: string): CustomResourceDefinition[] {
  const documents = yamlDocuments(text);
  const problem = documents.find((document) => document.problem !== undefined)?.problem;
  const objects = documents.map(({ value }) => value as { kind?: string } | null | undefined);
  const found = objects.filter((object) => object?.kind === 'CustomResourceDefinition') as CustomResourceDefinition[];
  const nameless = found.find(({ metadata, spec }) => metadata?.name !== `${spec?.names?.plural}.${spec?.group}`);
  if (nameless) {
    const said = JSON.stringify(nameless.metadata?.name);
    throw new CliError(
      'KUR_CLI_CRD',
      `${name} has a definition called ${said}, which is not its plural and its group`,
      {
        remedy: 'name a file with a CustomResourceDefinition that an API server takes',
      },
    );
  }
  if (found.length > 0 && !problem) return found;
  throw new CliError('KUR_CLI_CRD', `${name} ${problem ? `is no YAML: ${problem}` : 'has no definition'}`, {
    remedy: 'name a file with a CustomResourceDefinition',
  });
}
