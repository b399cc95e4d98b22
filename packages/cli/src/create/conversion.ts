/** `kurator create conversion` */
import type { Action } from '../action.ts';
import { readIfThere } from '../files/change.ts';
import { recovered } from '../files/recovered.ts';
import { renderTemplates } from '../files/template.ts';
import { folderOf } from '../project/names.ts';
import { type Project, readProject } from '../project/project.ts';
import { questions } from '../terminal/questions.ts';
import { kindOf, mustHave, versionOf } from './kind-question.ts';
import { carryOut, type Plan, type PlanOptions } from './plan.ts';
import { withVersion } from './wiring.ts';

/** As commander gives them. */
export interface ConversionOptions extends PlanOptions {
  kind?: string;
  version?: string;
}

export const createConversion: Action<ConversionOptions, []> = async (context, options) => {
  const project = await readProject('.');
  if (!options.dryRun) await recovered(project.folder, context);
  const asked = questions();
  const kind = await kindOf(options.kind, asked);
  const version = await versionOf(options.version, asked);
  await carryOut(context, project.folder, await planConversion(project, kind, version), options, asked);
  return 0;
};

/** The files and the wiring; reads the project, and writes nothing. */
export async function planConversion(project: Project, kind: string, version: string): Promise<Plan> {
  const path = mustHave(project, kind, 'resource.ts');
  const source = (await readIfThere(project.folder, path)) ?? '';
  const files = await renderTemplates('conversion', { kind, folder: folderOf(kind), version });
  return { files, edits: [{ path, text: withVersion(source, path, kind, version) }] };
}
