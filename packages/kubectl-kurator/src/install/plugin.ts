/** `kubectl kurator`: a small script in a folder of PATH, which runs the command that has put it there. */
import { access, constants, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const fileName = 'kubectl-kurator';
/** Whoever finds it knows whose it is; what has no such line is never written over, nor deleted. */
const mark = '# Made by `kurator install`; `kurator uninstall` removes it.';

/** What is to become of it. */
export interface PluginPlan {
  readonly action: 'create' | 'keep' | 'none';
  /** The script; undefined where there is no place for one. */
  readonly path?: string;
  /** A sentence for people. */
  readonly text: string;
}

interface Surroundings {
  readonly path?: string;
  readonly home?: string;
}

/** Finds a place for it, or who has it already. Writes nothing. */
export async function planPlugin(
  folder: string | undefined,
  { path = process.env.PATH ?? '', home = homedir() }: Surroundings = {},
): Promise<PluginPlan> {
  const folders = path.split(delimiter).filter((one) => one !== '');
  const [there] = (await Promise.all(folders.map(found))).flatMap((one) => one ?? []);
  if (there && !there.isOurs) {
    return { action: 'keep', text: `kubectl kurator is in place: ${there.path}, which somebody else has put there` };
  }
  if (there && there.text === script())
    return { action: 'keep', path: there.path, text: `kubectl kurator is in place: ${there.path}` };
  const place = there?.path ?? (folder ? join(folder, fileName) : await placeIn(folders, home));
  if (!place) {
    return {
      action: 'none',
      text: 'kubectl kurator has no place: no folder of PATH can be written; --plugin-folder names one',
    };
  }
  const hint = folder && !folders.includes(folder) ? `; put ${folder} on your PATH` : '';
  return { action: 'create', path: place, text: `kubectl kurator: the script ${place}${hint}` };
}

/** Puts it in place as planned. */
export async function putPlugin({ action, path }: PluginPlan): Promise<void> {
  if (action !== 'create' || !path) return;
  const there = await contentOf(path);
  if (there !== undefined && !there.includes(mark)) return;
  await writeFile(path, script(), { mode: 0o755 });
}

/** Removes those that are ours; says which. */
export async function removePlugins(path = process.env.PATH ?? ''): Promise<string[]> {
  const all = await Promise.all([...new Set(path.split(delimiter))].filter((one) => one !== '').map(found));
  const ours = all.flatMap((one) => (one?.isOurs ? one.path : []));
  for (const each of ours) await rm(each, { force: true });
  return ours;
}

interface Found {
  readonly path: string;
  readonly text: string;
  readonly isOurs: boolean;
}

async function found(folder: string): Promise<Found | undefined> {
  const path = join(folder, fileName);
  const text = await contentOf(path);
  return text === undefined ? undefined : { path, text, isOurs: text.includes(mark) };
}

async function contentOf(path: string): Promise<string | undefined> {
  return await readFile(path, 'utf8').catch(() => undefined);
}

/** A person's own folder before one of the whole machine's. */
async function placeIn(folders: readonly string[], home: string): Promise<string | undefined> {
  const liked = [join(home, '.local', 'bin'), join(home, 'bin'), '/usr/local/bin'];
  for (const folder of liked.filter((one) => folders.includes(one))) {
    const isFolder = await stat(folder).then(
      (one) => one.isDirectory(),
      () => false,
    );
    const isOpen = await access(folder, constants.W_OK).then(
      () => true,
      () => false,
    );
    if (isFolder && isOpen) return join(folder, fileName);
  }
  return undefined;
}

/** With the Node, and the flags, that run this. */
function script(): string {
  // Published packages have JavaScript, the repository has TypeScript.
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  const program = fileURLToPath(new URL(`../kubectl-kurator.${extension}`, import.meta.url));
  const words = [process.execPath, ...process.execArgv, program].map((word) => `'${word.replaceAll("'", "'\\''")}'`);
  return `#!/bin/sh\n${mark}\nexec ${words.join(' ')} "$@"\n`;
}
