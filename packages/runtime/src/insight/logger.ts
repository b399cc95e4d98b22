/** Structured logs: one JSON object a line, made by pino, without secrets. */
import pino from 'pino';
import { isSecretName, REDACTED, redacted, withoutSecrets } from '../redaction.ts';
import type { Logger } from './late-logger.ts';

/** How much is logged. */
export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';

/** What is logged, and where to. */
export interface LoggerOptions {
  /** What is less important is not logged; `info` unless given. */
  readonly level?: LogLevel;
  /** Fields of every line, such as the operator's name. */
  readonly fields?: Readonly<Record<string, unknown>>;
  /** Where lines go; standard output unless given. */
  readonly write?: (line: string) => void;
}

/** Time as people and Loki read it; fields named like secrets, and what looks like a secret in any text, are kept back. */
export function createLogger(options: LoggerOptions = {}): Logger {
  const { level = 'info', fields = {}, write } = options;
  const settings: pino.LoggerOptions = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    messageKey: 'message',
    errorKey: 'error',
    formatters: {
      level: (label) => ({ level: label }),
      log: (entry) => redacted(entry),
    },
    serializers: { error: errorFields, err: errorFields },
  };
  const logger = write ? pino(settings, { write }) : pino(settings);
  return guarded(logger).child({ ...fields });
}

// Pino has no hook for the fields of a child.
function guarded(logger: pino.Logger): Logger {
  return {
    debug: (fields, message) => logger.debug(fields, withoutSecrets(message)),
    info: (fields, message) => logger.info(fields, withoutSecrets(message)),
    warn: (fields, message) => logger.warn(fields, withoutSecrets(message)),
    error: (fields, message) => logger.error(fields, withoutSecrets(message)),
    child: (fields) => guarded(logger.child(redacted(fields))),
    isLevelEnabled: (level) => logger.isLevelEnabled(level),
  };
}

/** What of an error is logged. Its own enumerable fields (a code, a status) come too, if they are plain. */
function errorFields(error: unknown): unknown {
  if (!(error instanceof Error)) return typeof error === 'string' ? withoutSecrets(error) : redacted(error);
  const { name, message, stack, cause, ...own } = error as Error & Record<string, unknown>;
  const extra = Object.entries(own).flatMap(([field, value]) => {
    if (value === undefined || typeof value === 'object' || typeof value === 'function') return [];
    return [[field, isSecretName(field) ? REDACTED : value]];
  });
  return {
    name,
    message: withoutSecrets(message),
    ...Object.fromEntries(extra),
    ...(stack === undefined ? {} : { stack: withoutSecrets(stack) }),
    ...(cause === undefined ? {} : { cause: errorFields(cause) }),
  };
}
