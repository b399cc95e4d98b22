/** An Echo operator as a process: how it is started, and what it costs. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';

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

export interface RunningSubject {
  readonly process: ChildProcess;
  usage(): Promise<Usage>;
  /** Resolves when it prints a line that says so. */
  says(word: string): Promise<void>;
  stop(): Promise<void>;
}

const CLOCK_TICKS = 100;

export function startSubject({ command }: Subject, env: Readonly<Record<string, string>>): RunningSubject {
  const [program, ...args] = command;
  const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  let printed = '';
  child.stdout.on('data', (chunk) => {
    printed += chunk;
  });
  return {
    process: child,
    async usage() {
      const [stat, status] = await Promise.all(
        ['stat', 'status'].map((file) => readFile(`/proc/${child.pid}/${file}`, 'utf8')),
      );
      const fields = (stat ?? '').slice((stat ?? '').lastIndexOf(')') + 2).split(' ');
      const kilobytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status ?? '')?.[1] ?? 0);
      return {
        cpuSeconds: (Number(fields[11]) + Number(fields[12])) / CLOCK_TICKS,
        rssMiB: kilobytes('VmRSS') / 1024,
        peakMiB: kilobytes('VmHWM') / 1024,
      };
    },
    async says(word) {
      while (!printed.includes(word)) await once(child.stdout, 'data');
    },
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
