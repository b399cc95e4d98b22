/**
 * Tells the tour: lines that stay, each with the time since its beginning; and on a terminal, below them, a few lines that
 * are kept up to date in place. Elsewhere there are only lines that stay.
 */

import { type ActionContext, duration, type Screen, wrap } from '@kurator/command';
import type { Reporter } from '@kurator/testenv';

/** As much of an action's context as is needed to tell something. */
export type Audience = Pick<ActionContext, 'print' | 'screen' | 'reporter'>;

const UP_AND_WIPE = (lines: number) => `\x1b[${lines}A\x1b[J`;
const REDRAW_EVERY = 200;

export class Narrator {
  readonly screen: Screen;
  /** Whether something can be kept up to date in place. */
  readonly isLive: boolean;
  /** For whatever takes long. */
  readonly reporter: Reporter;
  readonly #print: (text: string) => void;
  readonly #started: number;
  readonly #tasks = new Map<string, { since: number; detail: string | undefined }>();
  #timer: NodeJS.Timeout | undefined;
  #board: () => readonly string[] = () => [];
  #drawn = 0;

  constructor({ print, screen, reporter }: Audience, started: number, environment: NodeJS.ProcessEnv = process.env) {
    this.screen = screen;
    this.isLive = screen.width !== undefined && environment.TERM !== 'dumb';
    this.#print = print;
    this.#started = started;
    // One hand on the terminal: two would write over each other.
    this.reporter = this.isLive ? this.#liveReporter(reporter) : reporter;
    if (this.isLive) this.#timer = setInterval(() => this.#redraw([]), REDRAW_EVERY).unref();
  }

  /** What comes next, with the time since the beginning. */
  step(text: string): void {
    const time = `[${duration(Date.now() - this.#started).padStart(9)}] `;
    this.line(wrap(text, this.screen.width, time).replace(time, () => this.screen.paint('dim', time)));
  }

  /** A line, or several. */
  line(text = ''): void {
    this.#redraw(text.split('\n'));
  }

  /** What is shown below the last line, from now on. */
  show(board: () => readonly string[]): void {
    this.#board = board;
    this.#redraw([]);
  }

  /** What is shown in place stays as it is, and nothing more is. */
  close(): void {
    clearInterval(this.#timer);
    this.#redraw([]);
    this.#drawn = 0;
    this.#board = () => [];
    this.#tasks.clear();
  }

  #redraw(lines: readonly string[]): void {
    const block = this.isLive ? [...this.#board(), ...this.#taskLines()] : [];
    if (lines.length === 0 && block.length === 0 && this.#drawn === 0) return;
    const wipe = this.#drawn > 0 ? UP_AND_WIPE(this.#drawn) : '';
    const all = [...lines, ...(block.length > 0 ? ['', ...block] : [])];
    this.#drawn = all.length - lines.length;
    // A line ends with the newline that printing adds.
    this.#print(wipe + all.join('\n') + (all.length === 0 ? '\x1b[A' : ''));
  }

  #taskLines(): string[] {
    const { width = 80, paint } = this.screen;
    const lines = [...this.#tasks].map(([name, { since, detail }]) =>
      [`${name}: ${duration(Date.now() - since)}`, detail].filter(Boolean).join(', '),
    );
    return lines.map((line) => paint('dim', line.slice(0, width - 1)));
  }

  #liveReporter({ verbose }: Reporter): Reporter {
    return {
      info: (message) => this.line(message),
      verbose,
      progress: (task, fraction, detail) => {
        const percent = fraction === undefined ? undefined : `${Math.floor(fraction * 100)} %`;
        const said = [percent, detail].filter(Boolean).join(', ') || undefined;
        if (fraction === 1) this.#tasks.delete(task);
        else this.#tasks.set(task, { since: this.#tasks.get(task)?.since ?? Date.now(), detail: said });
        this.#redraw([]);
      },
    };
  }
}
