/** What the engine needs of a logger: pino is one. Fields first, then what happened. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  /** One that adds these fields to each line. */
  child(fields: Record<string, unknown>): Logger;
  /** Whether lines of a level are written at all; taken for true unless given. Saves making lines that nobody reads. */
  isLevelEnabled?(level: string): boolean;
}

/**
 * A logger that can be used before it is there: lines wait, in order, until it has been loaded. So a process doesn't
 * begin by loading what it writes its first line with.
 */
export function lateLogger(load: () => Promise<Logger>): Logger {
  let actual: Logger | undefined;
  let waiting: (() => void)[] | undefined;
  const use = (write: (logger: Logger) => void) => {
    if (actual) {
      write(actual);
      return;
    }
    waiting ??= begin();
    waiting.push(() => actual && write(actual));
  };
  const begin = () => {
    void load().then((loaded) => {
      actual = loaded;
      for (const write of waiting ?? []) write();
      waiting = undefined;
    });
    return [];
  };
  return through(use, (level) => actual?.isLevelEnabled?.(level) ?? true);
}

type Use = (write: (logger: Logger) => void) => void;

function through(use: Use, isLevelEnabled: (level: string) => boolean): Logger {
  return {
    isLevelEnabled,
    debug: (fields, message) => use((logger) => logger.debug(fields, message)),
    info: (fields, message) => use((logger) => logger.info(fields, message)),
    warn: (fields, message) => use((logger) => logger.warn(fields, message)),
    error: (fields, message) => use((logger) => logger.error(fields, message)),
    child(fields) {
      let child: Logger | undefined;
      const useChild: Use = (write) =>
        use((logger) => {
          child ??= logger.child(fields);
          write(child);
        });
      return through(useChild, isLevelEnabled);
    },
  };
}

/** Says nothing. */
export const silentLogger: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  child: () => silentLogger,
  isLevelEnabled: () => false,
};
