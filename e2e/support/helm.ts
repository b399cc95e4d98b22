/** A real Helm, built once from its published Go module and kept in the cache. */
import { execFile } from 'node:child_process';
import { access, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { constants, homedir, setPriority } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Cluster } from '@kurator/testenv';

/** The chart of this repository. */
export const chart = join(import.meta.dirname, '..', '..', 'deploy', 'chart');

const run = promisify(execFile);
const VERSION = '3.22.0';
const BUILD_TIMEOUT = 15 * 60_000;

/** The program; the first time on a machine it is built, which takes minutes. */
export async function obtainHelm(): Promise<string> {
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'kurator', 'binaries');
  const folder = join(cache, `helm-${VERSION}-${process.platform}-${process.arch}`);
  const program = join(folder, 'helm');
  if (await isThere(program)) return program;
  await mkdir(dirname(folder), { recursive: true });
  const making = await mkdtemp(`${folder}.`);
  try {
    const env = { ...process.env, GOBIN: making, GOFLAGS: '-buildvcs=false', CGO_ENABLED: '0' };
    const args = ['install', '-trimpath', '-ldflags', '-s -w', `helm.sh/helm/v3/cmd/helm@v${VERSION}`];
    const building = run('go', args, { env, timeout: BUILD_TIMEOUT, maxBuffer: 2 ** 26 });
    if (building.child.pid) setPriority(building.child.pid, constants.priority.PRIORITY_LOW);
    await building;
    // Somebody else may have been quicker.
    await rename(making, folder).catch(async (error) => {
      if (!(await isThere(program))) throw error;
    });
    return program;
  } finally {
    await rm(making, { recursive: true, force: true });
  }
}

async function isThere(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  );
}

/** Runs it against a cluster, and gives what it printed. */
export async function helm(program: string, { kubeconfig }: Cluster, ...args: string[]): Promise<string> {
  try {
    const { stdout } = await run(program, ['--kubeconfig', kubeconfig, ...args], {
      maxBuffer: 2 ** 26,
      timeout: 120_000,
    });
    return stdout;
  } catch (error) {
    const { stderr, message } = error as { stderr?: string; message: string };
    throw new Error(`helm ${args.join(' ')}: ${stderr || message}`, { cause: error });
  }
}
