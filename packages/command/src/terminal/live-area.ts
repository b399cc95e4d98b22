/**
 * The lower end of a terminal: lines that stay, and below them a few that are kept up to date in place. Whatever draws on a stream
 * shares one of these, so that nobody writes over another. Where there is no terminal, or one that can't move its cursor, there
 * are only lines that stay.
 */
import { type Screen, screenOf } from './style.ts';

/** As much of a stream as is needed to draw on. */
export interface TerminalStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** Lines that are kept up to date: made anew each time that they are drawn, and never wider than the screen. */
export type LiveLines = () => readonly string[];

const REDRAW_EVERY = 200;

/** What is kept up to date at the end of a terminal, below the lines that scroll by. On anything else only lines are written. */
export class LiveArea {
  /** Whether anything can be kept up to date in place. */
  readonly isLive: boolean;
  readonly #stream: TerminalStream;
  readonly #environment: NodeJS.ProcessEnv;
  readonly #parts = new Set<LiveLines>();
  #timer: NodeJS.Timeout | undefined;
  #drawn = 0;

  constructor(stream: TerminalStream, environment: NodeJS.ProcessEnv = process.env) {
    this.#stream = stream;
    this.#environment = environment;
    this.isLive = stream.isTTY === true && environment.TERM !== 'dumb';
  }

  /** As it is now: people change the width of their windows. */
  get screen(): Screen {
    return screenOf(this.#stream, this.#environment);
  }

  /** A line that stays, or several. */
  line(text: string): void {
    this.#draw(`${text}\n`);
  }

  /** Shows lines below those that stay, and below what others show. @returns What takes them away again. */
  show(lines: LiveLines): () => void {
    this.#parts.add(lines);
    if (this.isLive) this.#timer ??= setInterval(() => this.refresh(), REDRAW_EVERY).unref();
    this.refresh();
    return () => {
      this.#parts.delete(lines);
      this.refresh();
    };
  }

  /** Draws at once what would be drawn within a moment. */
  refresh(): void {
    this.#draw('');
  }

  /** Wipes what is drawn. Lines can be written afterwards; nothing is drawn any more. */
  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#parts.clear();
    this.refresh();
  }

  /** What is drawn stays as it is, and nothing more is drawn. */
  leave(): void {
    this.refresh();
    if (this.#drawn > 0) this.#stream.write('\n');
    this.#drawn = 0;
    this.close();
  }

  #draw(above: string): void {
    const lines = this.isLive ? [...this.#parts].flatMap((part) => part()) : [];
    if (above === '' && lines.length === 0 && this.#drawn === 0) return;
    this.#stream.write(wipe(this.#drawn) + above + lines.join('\n'));
    this.#drawn = lines.length;
  }
}

/** The cursor is at the end of the last line that was drawn. */
function wipe(lines: number): string {
  if (lines === 0) return '';
  return lines === 1 ? '\r\x1b[K' : `\r\x1b[${lines - 1}A\x1b[J`;
}
