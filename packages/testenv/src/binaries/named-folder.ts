/** Programs that somebody put into a folder and named: by the `folder` option or by KUBEBUILDER_ASSETS. */
import { access, constants, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { TestenvError } from '../error.ts';
import { probeVersion } from './probe.ts';
import type { Program } from './program.ts';

/** What a named folder holds of what is wanted. */
export interface NamedFolder {
  readonly path: string;
  /** The version of the folder's kube-apiserver; undefined where it holds none. */
  readonly version: string | undefined;
  readonly found: ReadonlyMap<Program, string>;
  readonly missing: readonly Program[];
}

/** Looks for the programs; fails where the folder isn't one, or where one of them does not run. */
export async function lookIntoFolder(
  folder: string,
  namedBy: string,
  programs: readonly Program[],
  signal?: AbortSignal,
): Promise<NamedFolder> {
  const path = resolve(folder);
  const isFolder = (await stat(path).catch(() => undefined))?.isDirectory();
  if (!isFolder) {
    throw new TestenvError('KUR_TESTENV_NO_FOLDER', `${namedBy} names ${path}, which is not a folder.`, {
      remedy: `Name a folder that holds ${programs.join(', ')}, or leave ${namedBy} out.`,
    });
  }
  const found = new Map<Program, string>();
  const versions = new Map<Program, string>();
  const look = async (program: Program) => {
    const file = join(path, program);
    if (!(await isProgram(file))) return;
    versions.set(program, await probeVersion(program, file, signal));
    if (programs.includes(program)) found.set(program, file);
  };
  await Promise.all([...new Set<Program>([...programs, 'kube-apiserver'])].map(look));
  const missing = programs.filter((program) => !found.has(program));
  return { path, version: versions.get('kube-apiserver'), found, missing };
}

async function isProgram(file: string): Promise<boolean> {
  return await access(file, constants.F_OK).then(
    () => true,
    () => false,
  );
}

/** Whether a version answers to what was asked for: `1.36` means any of that minor, where nobody has to fetch it. */
export function answersTo(asked: string, version: string): boolean {
  const bare = asked.trim().replace(/^v/, '');
  return version === bare || version.startsWith(`${bare}.`);
}
