/** `kurator create api` */
import { dirname, posix } from 'node:path';
import { type Action, CliError, given, type Questions, questions } from '@kurator/command';
import { readIfThere } from '../files/change.ts';
import { recovered } from '../files/journal.ts';
import { type PlannedFile, renderTemplates } from '../files/template.ts';
import { folderOf, groupOf, problemOf } from '../project/names.ts';
import { type Project, readProject } from '../project/project.ts';
import { kindAsked, mustHave, versionOf } from './kind-question.ts';
import { type Scaffold, type ScaffoldOptions, writeScaffold } from './scaffold.ts';
import { operatorIn, withController } from './wiring.ts';

/** As commander gives them. */
export interface ApiOptions extends ScaffoldOptions {
  group?: string;
  version?: string;
  kind?: string;
  resource?: boolean;
  controller?: boolean;
}

/** What is to be added, with nothing left open. */
export interface NewApi {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly resource: boolean;
  readonly controller: boolean;
}

export const createApi: Action<ApiOptions, [folder: string]> = async (context, options, folder) => {
  const project = await readProject(folder);
  if (!options.dryRun) await recovered(project.folder, context);
  const asked = questions();
  const kind = await kindAsked(options.kind, asked);
  const version = await versionOf(options.version, asked);
  const group = await apiGroup(project, options.group, asked);
  const { resource = true, controller = true } = options;
  const api: NewApi = { group, version, kind, resource, controller };
  await writeScaffold(context, project.folder, await apiScaffold(project, api), options, asked);
  return 0;
};

/** The group with the project's domain. */
async function apiGroup({ domain, folder }: Project, flag: string | undefined, asked: Questions | undefined) {
  const problem = (answer: string) => problemOf('group', answer);
  const suffix = domain ? ` (before .${domain}; with a dot it is taken whole)` : '';
  const group = await given('--group', flag, { message: `Which API group?${suffix}`, initial: 'apps', problem }, asked);
  if (group.includes('.') || domain) return groupOf(group, domain ?? '');
  throw new CliError('KUR_CLI_USAGE', `--group "${group}" has no domain, and the package.json of ${folder} says none`, {
    remedy: 'give it whole, such as apps.example.com, or add "kurator": { "domain": "example.com" } to package.json',
  });
}

/** The files and the wiring; reads the project, and writes nothing. */
export async function apiScaffold(project: Project, api: NewApi): Promise<Scaffold> {
  const { kind, group, version } = api;
  const folder = folderOf(kind);
  const { operatorFile } = project;
  const source = (await readIfThere(project.folder, operatorFile)) ?? '';
  const operator = operatorIn(source, operatorFile);
  await refuseOtherVersion(project, api);
  if (!api.resource) mustHave(project, kind, 'resource.ts');
  const operatorImport = relativeImport(`src/${folder}`, operatorFile);
  const all = await renderTemplates('api', { kind, folder, group, version, operator, operatorImport });
  const files = all.filter(({ path }) => (isController(path) ? api.controller : api.resource));
  if (!api.controller) return { files, edits: [] };
  const importFrom = relativeImport(dirname(operatorFile), `src/${folder}/controller.ts`);
  const edits: PlannedFile[] = [{ path: operatorFile, text: withController(source, operatorFile, kind, importFrom) }];
  return { files, edits };
}

function isController(path: string): boolean {
  return /\/controller(\.test)?\.ts$/.test(path);
}

function relativeImport(from: string, to: string): string {
  const path = posix.relative(from, to);
  return path.startsWith('.') ? path : `./${path}`;
}

async function refuseOtherVersion(project: Project, { kind, version, resource }: NewApi): Promise<void> {
  const path = `src/${folderOf(kind)}/resource.ts`;
  const there = await readIfThere(project.folder, path);
  if (!resource || !there || there.includes(`'${version}'`)) return;
  throw new CliError('KUR_CLI_USAGE', `the project has a ${kind} of another version, in ${path}`, {
    remedy: `kurator create conversion --kind ${kind} --version ${version} adds this one`,
  });
}
