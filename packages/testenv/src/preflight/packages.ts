/** Installs Debian packages, with progress, such that an interruption never leaves dpkg half way. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { messageOf, TestenvError } from '../error.ts';
import type { Reporter } from '../reporter.ts';
import { installCommand } from './checks.ts';

export interface InstallOptions {
  /** True where it is not worth waiting long for: one try, and no new package lists. */
  quick?: boolean;
  reporter: Reporter;
  signal?: AbortSignal | undefined;
}

/** Another apt at work is waited for, up to two minutes. Nothing is ever removed to make room for these. */
const OPTIONS = ['-y', '-q', '-o', 'DPkg::Lock::Timeout=120', '-o', 'Dpkg::Use-Pty=0', '-o', 'APT::Status-Fd=3'];
const QUICK = ['-o', 'Acquire::Retries=0', '-o', 'Acquire::http::Timeout=10', '-o', 'Acquire::https::Timeout=10'];
const LISTS = '/var/lib/apt/lists';

export async function installPackages(packages: readonly string[], options: InstallOptions): Promise<void> {
  const { reporter } = options;
  const task = `Installing ${packages.join(', ')}`;
  reporter.info(`${task} with apt-get, for nodes.`);
  const install = () => apt(task, ['install', '--no-install-recommends', '--no-remove', ...packages], options);
  try {
    const updated = !(await haveLists());
    if (updated) await updateLists(options);
    await install().catch(async (error: unknown) => {
      if (updated || options.quick || !isOutdated(error)) throw error;
      await updateLists(options);
      await install();
    });
  } catch (error) {
    options.signal?.throwIfAborted();
    throw installFailed(packages, error);
  } finally {
    reporter.progress(task, 1);
  }
}

async function haveLists(): Promise<boolean> {
  const files = await readdir(LISTS).catch(() => []);
  return files.some((file) => file.includes('_Packages'));
}

async function updateLists(options: InstallOptions): Promise<void> {
  const task = 'Fetching the package lists (apt-get update)';
  await apt(task, ['update'], options).finally(() => options.reporter.progress(task, 1));
}

/** Whether newer package lists may help. */
export function isOutdated(error: unknown): boolean {
  const message = messageOf(error);
  return /Unable to locate package|has no installation candidate|404 {2}Not Found|Failed to fetch|Unable to fetch/.test(
    message,
  );
}

/** `dlstatus:1:33.3:Retrieving…` and `pmstatus:runc:50:Unpacking…`: how far downloads and installation have come. */
export function parseStatus(line: string): { fraction: number; detail: string } | undefined {
  const [, kind, percent, detail = ''] = /^(dlstatus|pmstatus):[^:]*:([\d.]+):(.*)$/.exec(line) ?? [];
  if (!kind) return undefined;
  const half = Number(percent) / 200;
  // 1 is the end, which only the exit of apt-get is.
  return { fraction: Math.min(kind === 'dlstatus' ? half : 0.5 + half, 0.99), detail };
}

async function apt(task: string, args: readonly string[], { reporter, signal, quick }: InstallOptions): Promise<void> {
  signal?.throwIfAborted();
  reporter.progress(task, undefined);
  const child = spawn('apt-get', [...OPTIONS, ...(quick ? QUICK : []), ...args], {
    // A group of its own: Ctrl-C in the terminal must not hit dpkg.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    // Some of these packages bring services. They are for nodes to start, not for the machine.
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', SYSTEMD_OFFLINE: '1', LC_ALL: 'C' },
  });
  // apt-get takes this as a wish to stop, and finishes the step that dpkg is at.
  const interrupt = () => child.kill('SIGINT');
  signal?.addEventListener('abort', interrupt, { once: true });
  try {
    await ended(child, (line) => {
      const status = parseStatus(line);
      if (status) reporter.progress(task, status.fraction, status.detail);
    });
  } finally {
    signal?.removeEventListener('abort', interrupt);
  }
  signal?.throwIfAborted();
}

async function ended(child: ChildProcess, onStatus: (line: string) => void): Promise<void> {
  const said: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream as Readable }).on('line', (line) => said.push(line));
  }
  createInterface({ input: child.stdio[3] as Readable }).on('line', onStatus);
  const code = await new Promise<number | null>((resolve, reject) =>
    child.once('error', reject).once('close', resolve),
  );
  if (code === 0) return;
  const telling = said.filter((line) => /^(E|Err|W):/.test(line));
  throw new Error((telling.length > 0 ? telling : said).slice(-4).join('; ') || `apt-get ended with ${code}`);
}

function installFailed(packages: readonly string[], cause: unknown): TestenvError {
  const why = messageOf(cause);
  return new TestenvError('KUR_TESTENV_INSTALL', `${packages.join(', ')} could not be installed: ${why}`, {
    remedy: `${installCommand(packages, true)} (and see what it says)`,
    cause,
  });
}
