/** Runs the real command as a process of its own, with clusters of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const main = join(import.meta.dirname, '..', 'src', 'main.ts');

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface Running {
  child: ChildProcess;
  ended: Promise<Ended>;
}

export interface CommandPlace extends AsyncDisposable {
  /** Where this place's clusters are. */
  readonly clusters: string;
  start(...args: string[]): Running;
  run(...args: string[]): Promise<Ended>;
  /** The names of everything in the clusters' folder, half-made things included. */
  leftovers(): Promise<string[]>;
}

/** A state folder of its own, so that neither other tests nor the clusters of whoever runs them are in the way. */
export async function commandPlace(): Promise<CommandPlace> {
  // A cluster's sockets need short paths, and macOS's own temporary folder has a long one.
  const base = process.platform === 'darwin' ? '/tmp' : tmpdir();
  const home = await mkdtemp(join(base, 'kur-'));
  const clusters = join(home, 'kurator', 'clusters');

  function start(...args: string[]): Running {
    const env = { ...process.env, XDG_STATE_HOME: home };
    const flags = ['--conditions=source', '--disable-warning=ExperimentalWarning'];
    const child = spawn(process.execPath, [...flags, main, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    return { child, ended: endOf(child) };
  }

  const run = (...args: string[]) => start(...args).ended;
  return {
    clusters,
    start,
    run,
    leftovers: () => readdir(clusters).catch(() => []),
    async [Symbol.asyncDispose]() {
      await run('cluster', 'down', '--all', '--yes');
      await rm(home, { recursive: true, force: true });
    },
  };
}

async function endOf(child: ChildProcess): Promise<Ended> {
  const said = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream]?.setEncoding('utf8').on('data', (chunk: string) => {
      said[stream] += chunk;
    });
  }
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
  });
  return { code, ...said };
}
