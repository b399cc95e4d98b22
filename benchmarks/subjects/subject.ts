/** An Echo operator as a process: how it is started, and what it costs. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';

/** How the benchmark starts an operator. */
export interface Subject {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
}

/** What a process has used so far. */
export interface Usage {
  readonly cpuSeconds: number;
  readonly rssMiB: number;
  readonly peakMiB: number;
}

/** An operator that is running. */
export interface RunningSubject {
  usage(): Promise<Usage>;
  /** Resolves with the next line it prints that begins with `word`. */
  says(word: string): Promise<string>;
  /** What `work` gives; rejects at once if the operator ends before that. */
  during<T>(work: Promise<T>): Promise<T>;
  signal(name: NodeJS.Signals): void;
  /** Ends it, the hard way if it does not listen. */
  stop(): Promise<void>;
}

const CLOCK_TICKS = 100;
const STOP_MILLISECONDS = 10_000;

/** Starts it, with the environment of this process and `env`. */
export function startSubject({ name, command }: Subject, env: Readonly<Record<string, string>>): RunningSubject {
  const [program, ...args] = command;
  const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'inherit'] });
  const kill = () => void child.kill('SIGKILL');
  // An operator must not outlive the one who measures it.
  process.once('exit', kill);
  const ended = once(child, 'exit').finally(() => process.off('exit', kill));
  const failed = ended.then(([code, signal]) => {
    throw new Error(`${name} ended by itself (${signal ?? `exit code ${code}`})`);
  });
  failed.catch(() => {});
  const lines = createInterface(child.stdout);
  const during = async <T>(work: Promise<T>) => await Promise.race([work, failed]);
  return {
    during,
    async usage() {
      return usageOf(...(await Promise.all([readProc(child.pid, 'stat'), readProc(child.pid, 'status')])));
    },
    async says(word) {
      const line = new Promise<string>((resolve) => {
        const look = (text: string) => {
          if (!text.startsWith(word)) return;
          lines.off('line', look);
          resolve(text);
        };
        lines.on('line', look);
      });
      return await during(line);
    },
    signal: (signal) => void child.kill(signal),
    async stop() {
      child.kill('SIGTERM');
      const timer = setTimeout(kill, STOP_MILLISECONDS);
      await ended.catch(() => {});
      clearTimeout(timer);
    },
  };
}

async function readProc(pid: number | undefined, file: string): Promise<string> {
  return await readFile(`/proc/${pid}/${file}`, 'utf8');
}

function usageOf(stat: string, status: string): Usage {
  // The program's name, in brackets, may hold anything; what is counted comes after it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const mebibytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0) / 1024;
  return {
    cpuSeconds: (Number(fields[11]) + Number(fields[12])) / CLOCK_TICKS,
    rssMiB: mebibytes('VmRSS'),
    peakMiB: mebibytes('VmHWM'),
  };
}
