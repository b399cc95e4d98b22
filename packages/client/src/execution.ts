/** A program in a container that we talk to: `exec` starts one, `attach` joins the one that runs. */
import type { Readable, Writable } from 'node:stream';

/** The size of a terminal. */
export interface TerminalSize {
  columns: number;
  rows: number;
}

/** A session with a program. What was not asked for is a stream that is already at its end. */
export interface Execution extends AsyncDisposable {
  /** Ending it tells the program that no more will come. */
  readonly stdin: Writable;
  /** Read both, or don't open them: one that is full stops the other. */
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** The program's exit code; rejects when it could not be started, or the connection broke. */
  readonly exitCode: Promise<number>;
  resize(size: TerminalSize): void;
  /** Breaks off the session. */
  close(): void;
}
