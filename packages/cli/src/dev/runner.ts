/** One process that runs the operator, as the command sees it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { realpath } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';
import { gist } from '../project/program-facts.ts';
import type { DevSettings, LoadedOperator, Order, Report } from './messages.ts';

const entry = join(import.meta.dirname, `run-process${extname(import.meta.filename)}`);
/**
 * Far longer than the process gives its operator: killed before, it could not put webhooks back, and writes would be refused
 * for want of an answer. Only one that doesn't listen any more, for an endless loop say, is.
 */
const GRACE = 30_000;

/** What a runner is made for. */
export interface RunnerOptions {
  /** The project's folder. */
  readonly folder: string;
  /** The file that exports the operator; absolute. */
  readonly file: string;
  readonly env: NodeJS.ProcessEnv;
  /** Reconciles and lines of the log; what the program itself prints is a line, too. */
  onReport(report: Report): void;
  /** It has failed, or ended, though nobody asked for that. */
  onEnd(why: string): void;
}

/** Loads and starts the operator once; a failure is an error with what the process said. */
export interface Runner {
  load(): Promise<LoadedOperator>;
  start(settings: DevSettings): Promise<void>;
  stop(): Promise<void>;
}

export async function createRunner({ folder, file, env, onReport, onEnd }: RunnerOptions): Promise<Runner> {
  const child = spawn(process.execPath, [...(await nodeFlags(folder)), entry, file], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const said = printed(child, onReport);
  let awaited: { report: Report['report']; resolve(report: Report): void; reject(error: Error): void } | undefined;
  let isEnding = false;
  const failed = (text: string) => {
    if (awaited) awaited.reject(new Error(text));
    else if (!isEnding) onEnd(text);
    awaited = undefined;
  };
  child.on('message', (report: Report) => {
    if (report.report === 'failed') failed(report.text);
    else if (report.report === awaited?.report) {
      awaited.resolve(report);
      awaited = undefined;
    } else onReport(report);
  });
  child.once('error', (error) => failed(error.message));
  child.once('exit', () => failed(gist(said())));

  async function order(order: Order, report: Report['report']): Promise<Report> {
    return await new Promise<Report>((resolve, reject) => {
      awaited = { report, resolve, reject };
      if (child.connected) child.send(order);
      else failed(gist(said()));
    });
  }
  return {
    async load() {
      const report = await order({ order: 'load' }, 'loaded');
      return report.report === 'loaded' ? report.operator : { name: '', crds: [] };
    },
    async start(settings) {
      await order({ order: 'start', settings }, 'up');
    },
    async stop() {
      isEnding = true;
      await end(child);
    },
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  if (child.connected) child.send({ order: 'stop' } satisfies Order);
  const timer = setTimeout(() => child.kill('SIGKILL'), GRACE);
  await exited;
  clearTimeout(timer);
}

/** What the program prints is shown, and the last of it kept for when it ends. */
function printed(child: ChildProcess, onReport: (report: Report) => void): () => string {
  let last = '';
  for (const [stream, level] of [
    [child.stdout, 'info'],
    [child.stderr, 'warn'],
  ] as const) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      last = (last + chunk).slice(-4_000);
      for (const text of chunk.trimEnd().split('\n')) onReport({ report: 'log', level, text });
    });
  }
  return () => last;
}

/**
 * The flags of this process (in a clone they lead to the packages' sources), unless the project has the packages
 * installed: Node runs no TypeScript below node_modules.
 */
async function nodeFlags(projectFolder: string): Promise<string[]> {
  const sdk = await realpath(join(projectFolder, 'node_modules', '@kurator', 'sdk')).catch(() => undefined);
  const isInstalled = sdk === undefined || sdk.includes(`${sep}node_modules${sep}`);
  return [...(isInstalled ? [] : process.execArgv), '--disable-warning=ExperimentalWarning'];
}
