/**
 * Draws what long work reports: on a terminal one line that is kept up to date, elsewhere a line every ten seconds.
 * It writes to standard error, so that standard output holds results only.
 */
import { duration } from './amounts.ts';
import type { LiveArea } from './live-area.ts';

/** Where long work says how far it is: whoever does the work and whoever draws it need not know each other. */
export interface Reporter {
  /** One line a person wants to read once. */
  info(message: string): void;
  /** A line that explains a decision; shown with `--verbose`. */
  verbose(message: string): void;
  /**
   * How far a long task has come. `fraction` is between 0 and 1, or undefined while it can't be known; the same `task`
   * reported again replaces its earlier report, and 1 ends it.
   */
  progress(task: string, fraction: number | undefined, detail?: string): void;
}

export interface ProgressReporter extends Reporter {
  /** Wipes what is still drawn. Nothing is drawn afterwards. */
  close(): void;
}

export interface ReporterOptions {
  area: LiveArea;
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
const LOOK_EVERY = 200;

export function progressReporter({ area, verbose }: ReporterOptions): ProgressReporter {
  const tasks = new Map<string, Task>();
  const line = (text: string) => area.line(text);
  /** The one that was reported last: it is what is being worked on. */
  const current = () => [...tasks.values()].at(-1);
  const hide = area.show(() => {
    const task = current();
    return task ? [bar(task, area.screen.width ?? 80)] : [];
  });
  const timer = area.isLive ? undefined : setInterval(tell, LOOK_EVERY).unref();

  /** For those who see nothing drawn. */
  function tell(): void {
    const task = current();
    if (!task || Date.now() - (task.written ?? task.since - LINE_EVERY + QUIET) < LINE_EVERY) return;
    task.written = Date.now();
    line(sentence(task));
  }

  function end(task: Task): void {
    tasks.delete(task.name);
    const took = Date.now() - task.since;
    if (took >= QUIET) line(`${task.name} took ${duration(took)}`);
    else area.refresh();
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
      if (!known) area.refresh();
    },
    close() {
      clearInterval(timer);
      tasks.clear();
      hide();
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
