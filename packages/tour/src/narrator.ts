/**
 * Tells the tour: lines that stay, each with the time since its beginning; and on a terminal, below them, a few lines that
 * are kept up to date in place. Elsewhere there are only lines that stay.
 */

import { type ActionContext, duration, type LiveArea, type LiveLines, type Screen, wrap } from '@kurator/command';
import type { Reporter } from '@kurator/testenv';

/** As much of an action's context as is needed to tell something. */
export type Audience = Pick<ActionContext, 'results' | 'reporter'>;

export class Narrator {
  readonly screen: Screen;
  /** Whether something can be kept up to date in place. */
  readonly isLive: boolean;
  /** For whatever takes long. */
  readonly reporter: Reporter;
  readonly #area: LiveArea;
  readonly #started: number;
  readonly #tasks = new Map<string, { since: number; detail: string | undefined }>();
  #board: LiveLines = () => [];

  constructor({ results, reporter }: Audience, started: number) {
    this.screen = results.screen;
    this.isLive = results.isLive;
    this.#area = results;
    this.#started = started;
    // One hand on the terminal: two would write over each other.
    this.reporter = this.isLive ? this.#liveReporter(reporter) : reporter;
    results.show(() => {
      const block = [...this.#board(), ...this.#taskLines()];
      return block.length > 0 ? ['', ...block] : [];
    });
  }

  /** What comes next, with the time since the beginning. */
  step(text: string): void {
    const time = `[${duration(Date.now() - this.#started).padStart(9)}] `;
    this.line(wrap(text, this.screen.width, time).replace(time, () => this.screen.paint('dim', time)));
  }

  /** A line, or several. */
  line(text = ''): void {
    this.#area.line(text);
  }

  /** What is shown below the last line, from now on. */
  show(board: LiveLines): void {
    this.#board = board;
    this.#area.refresh();
  }

  /** What is shown in place stays as it is, and nothing more is. */
  close(): void {
    this.#area.leave();
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
        this.#area.refresh();
      },
    };
  }
}
