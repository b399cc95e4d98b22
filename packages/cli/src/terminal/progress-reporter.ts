/**
 * Draws what long work reports: on a terminal one line that is kept up to date, elsewhere a line every ten seconds.
 * It writes to standard error, so that standard output holds results only.
 */
import type { Reporter } from '@kurator/testenv';
import { duration } from './amounts.ts';

/** As much of a stream as is needed to draw on. */
export interface ReporterStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

export interface ProgressReporter extends Reporter {
  /** Wipes what is still drawn. Nothing is drawn afterwards. */
  close(): void;
}

export interface ReporterOptions {
  stream: ReporterStream;
  /** Whether decisions are explained. */
  verbose: boolean;
}

interface Task {
  readonly name: string;
  readonly since: number;
  fraction: number | undefined;
  detail: string | undefined;
  /** When a line about it was last written; undefined before the first. */
  written?: number;
}

/** What takes no longer is not worth a line. */
const QUIET = 2_000;
const LINE_EVERY = 10_000;
const REDRAW_EVERY = 200;
const WIPE = '\r\x1b[K';

export function progressReporter({ stream, verbose }: ReporterOptions): ProgressReporter {
  const tasks = new Map<string, Task>();
  const isTerminal = stream.isTTY === true;
  const timer = setInterval(tick, REDRAW_EVERY).unref();

  /** The one that was reported last: it is what is being worked on. */
  const current = () => [...tasks.values()].at(-1);

  function tick(): void {
    const task = current();
    if (!task) return;
    if (isTerminal) stream.write(WIPE + bar(task, stream.columns || 80));
    else if (Date.now() - (task.written ?? task.since - LINE_EVERY + QUIET) >= LINE_EVERY) {
      task.written = Date.now();
      stream.write(`${sentence(task)}\n`);
    }
  }

  function line(text: string): void {
    stream.write(`${isTerminal && tasks.size > 0 ? WIPE : ''}${text}\n`);
    if (isTerminal) tick();
  }

  function end(task: Task): void {
    tasks.delete(task.name);
    const took = Date.now() - task.since;
    if (took >= QUIET) line(`${task.name} took ${duration(took)}`);
    else if (isTerminal) stream.write(WIPE);
  }

  return {
    info: line,
    verbose: (message) => {
      if (verbose) line(message);
    },
    progress(name, fraction, detail) {
      const known = tasks.get(name);
      if (fraction === 1) {
        if (known) end(known);
        return;
      }
      const task = known ?? { name, since: Date.now(), fraction, detail };
      Object.assign(task, { fraction, detail });
      tasks.delete(name);
      tasks.set(name, task);
      if (isTerminal && !known) tick();
    },
    close() {
      clearInterval(timer);
      if (isTerminal && tasks.size > 0) stream.write(WIPE);
      tasks.clear();
    },
  };
}

const BAR = 20;

/** `Building [########------------] 40 % package 3 of 9, 12 s`, cut to the width of the terminal. */
function bar(task: Task, columns: number): string {
  const { fraction } = task;
  if (fraction === undefined) return `${sentence(task)}`.slice(0, columns - 1);
  const filled = Math.round(fraction * BAR);
  const drawn = `[${'#'.repeat(filled)}${'-'.repeat(BAR - filled)}]`;
  return `${task.name} ${drawn} ${rest(task)}`.slice(0, columns - 1);
}

function sentence(task: Task): string {
  return `${task.name}: ${rest(task)}`;
}

function rest({ fraction, detail, since }: Task): string {
  const percent = fraction === undefined ? undefined : `${Math.floor(fraction * 100)} %`;
  return [percent, detail, duration(Date.now() - since)].filter(Boolean).join(', ');
}
