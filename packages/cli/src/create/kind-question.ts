/** The kind that a command is about. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CliError, given, type Questions } from '@kurator/command';
import { folderOf, problemOf } from '../project/names.ts';
import type { Project } from '../project/project.ts';

/** Given or asked for. */
export async function kindAsked(kind: string | undefined, asked: Questions | undefined): Promise<string> {
  const problem = (answer: string) => problemOf('kind', answer);
  return await given('--kind', kind, { message: 'Which kind?', initial: 'MyApp', problem }, asked);
}

/** Given or asked for. */
export async function versionOf(version: string | undefined, asked: Questions | undefined): Promise<string> {
  const problem = (answer: string) => problemOf('version', answer);
  return await given('--version', version, { message: 'Which version?', initial: 'v1alpha1', problem }, asked);
}

/** Refuses a kind that the project doesn't have. */
export function mustHave({ folder }: Project, kind: string, file: string): string {
  const path = `src/${folderOf(kind)}/${file}`;
  if (existsSync(join(folder, path))) return path;
  throw new CliError('KUR_CLI_NO_KIND', `the project has no ${kind}: there is no ${path}`, {
    remedy: `kurator create api --kind ${kind} makes it`,
  });
}
