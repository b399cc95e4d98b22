/**
 * Where long work says what it is doing. The command line draws it on the terminal,
 * tests leave it out, and the library never writes to standard output by itself.
 */
export interface Reporter {
  /** One line a person wants to read once. */
  info(message: string): void;
  /** A line that explains a decision; shown with `--verbose`. */
  verbose(message: string): void;
  /**
   * How far a long task has come. `fraction` is between 0 and 1, or undefined while
   * it can't be known; the same `task` reported again replaces its earlier report, and 1 ends it.
   */
  progress(task: string, fraction: number | undefined, detail?: string): void;
}

/** Says nothing. */
export const silent: Reporter = {
  info: () => {},
  verbose: () => {},
  progress: () => {},
};
