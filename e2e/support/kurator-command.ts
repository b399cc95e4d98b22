/** The `kurator` command, as a person would type it. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** The repository. */
export const root = join(import.meta.dirname, '..', '..');

/** The healer's own project. */
export const healerProject = join(root, 'operators/kurator');

/** An image, as `kurator build -o json` tells of it. */
export interface BuiltImage {
  readonly name: string;
  readonly digest: string;
  readonly size: number;
  readonly path: string;
}

/** Runs it to its end and gives what it printed; `kubeconfig` is for those commands that talk to a cluster. */
export async function kurator(kubeconfig: string, ...args: string[]): Promise<string> {
  const main = join(root, 'packages/cli/src/main.ts');
  const env = { ...process.env, KUBECONFIG: kubeconfig };
  const { stdout } = await promisify(execFile)(process.execPath, ['--conditions=source', main, ...args], { env });
  return stdout;
}

/** Builds the healer's image, as its users get it. */
export async function buildHealer(tag: string): Promise<BuiltImage> {
  return JSON.parse(await kurator('', 'build', healerProject, '--tag', tag, '-o', 'json')) as BuiltImage;
}
