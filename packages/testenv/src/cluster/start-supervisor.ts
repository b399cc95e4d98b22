/** Starting the process that will hold a cluster, and hearing from it until the cluster is ready. */
import { type ChildProcess, spawn } from 'node:child_process';
import { open } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { TestenvError, type TestenvErrorCode } from '../error.ts';
import { cacheFolder } from '../folders.ts';
import { completePath } from '../internal/which.ts';
import type { Reporter } from '../reporter.ts';
import { clusterFiles } from './cluster-config.ts';
import { detachWord, type SupervisorMessage } from './supervisor/messages.ts';

interface SupervisorOptions {
  reporter: Reporter;
  signal: AbortSignal | undefined;
  detached: boolean;
}

/** A supervisor that runs from sources is told so; one that runs from a published package needs nothing. */
const supervisorEntry = join(import.meta.dirname, 'supervisor', `main${extname(import.meta.filename)}`);
const sourceArguments = supervisorEntry.endsWith('.ts') ? ['--conditions=source'] : [];

/** Starts it and waits for `ready`; if that does not come, ends it and says why. */
export async function startSupervisor(
  folder: string,
  { reporter, signal, detached }: SupervisorOptions,
): Promise<void> {
  const log = await open(join(clusterFiles(folder).logs, 'supervisor.log'), 'a');
  const supervisor = spawn(process.execPath, [...sourceArguments, supervisorEntry, folder], {
    detached: true,
    stdio: ['pipe', 'pipe', log.fd],
    // containerd starts runc by its name, and kube-proxy iptables.
    env: { NODE_COMPILE_CACHE: cacheFolder('compiled'), ...process.env, PATH: completePath() },
  });
  await log.close();
  const ended = new Promise<void>((resolve) => supervisor.once('exit', () => resolve()));
  supervisor.stdin?.on('error', () => {});
  const abort = () => supervisor.kill('SIGTERM');
  signal?.addEventListener('abort', abort, { once: true });
  try {
    await untilReady(supervisor, folder, reporter);
  } catch (error) {
    supervisor.kill('SIGTERM');
    await ended;
    throw signal?.aborted ? signal.reason : error;
  } finally {
    signal?.removeEventListener('abort', abort);
  }
  if (detached) supervisor.stdin?.end(`${detachWord}\n`);
  letGo(supervisor);
}

async function untilReady(supervisor: ChildProcess, folder: string, reporter: Reporter): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const lines = createInterface({ input: supervisor.stdout as NodeJS.ReadableStream });
    lines.on('line', (line) => {
      const message = JSON.parse(line) as SupervisorMessage;
      if (message.type === 'ready') resolve();
      else if (message.type === 'failed') reject(failureOf(message));
      else passOn(message, reporter);
    });
    supervisor.once('error', reject);
    supervisor.once('exit', (code, signal) => {
      const how = signal ?? `exit code ${code}`;
      const log = join(clusterFiles(folder).logs, 'supervisor.log');
      const message = `the supervisor ended (${how}) before the cluster was ready`;
      reject(new TestenvError('KUR_TESTENV_START', message, { remedy: `its log is ${log}` }));
    });
  });
}

type Progress = Exclude<SupervisorMessage, { type: 'ready' | 'failed' }>;

function passOn(message: Progress, reporter: Reporter): void {
  if (message.type === 'progress') reporter.progress(message.task, message.fraction, message.detail);
  else reporter[message.type](message.message);
}

function failureOf({ code, message, remedy }: Extract<SupervisorMessage, { type: 'failed' }>): TestenvError {
  return new TestenvError(code as TestenvErrorCode, message, remedy ? { remedy } : {});
}

/** This process may end without waiting for the supervisor; the open pipe tells the supervisor when it does. */
function letGo(supervisor: ChildProcess): void {
  supervisor.unref();
  for (const stream of [supervisor.stdin, supervisor.stdout]) (stream as unknown as { unref(): void } | null)?.unref();
}
