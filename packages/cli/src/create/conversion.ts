/** `kurator create conversion` */
import { type Action, questions } from '@kurator/command';
import { readIfThere } from '../files/change.ts';
import { recovered } from '../files/journal.ts';
import { renderTemplates } from '../files/template.ts';
import { folderOf } from '../project/names.ts';
import { type Project, readProject } from '../project/project.ts';
import { kindAsked, mustHave, versionOf } from './kind-question.ts';
import { type Scaffold, type ScaffoldOptions, writeScaffold } from './scaffold.ts';
import { withVersion } from './wiring.ts';

/** As commander gives them. */
export interface ConversionOptions extends ScaffoldOptions {
  kind?: string;
  version?: string;
}

export const createConversion: Action<ConversionOptions, [folder: string]> = async (context, options, folder) => {
  const project = await readProject(folder);
  if (!options.dryRun) await recovered(project.folder, context);
  const asked = questions();
  const kind = await kindAsked(options.kind, asked);
  const version = await versionOf(options.version, asked);
  await writeScaffold(context, project.folder, await conversionScaffold(project, kind, version), options, asked);
  return 0;
};

/** The files and the wiring; reads the project, and writes nothing. */
export async function conversionScaffold(project: Project, kind: string, version: string): Promise<Scaffold> {
  const path = mustHave(project, kind, 'resource.ts');
  const source = (await readIfThere(project.folder, path)) ?? '';
  const files = await renderTemplates('conversion', { kind, folder: folderOf(kind), version });
  return { files, edits: [{ path, text: withVersion(source, path, kind, version) }] };
}
