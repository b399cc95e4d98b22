export { Argument, Command, InvalidArgumentError, Option } from 'commander';
export { type Action, type ActionContext, announceCleanup, lazy, type Session } from './action.ts';
export { completionAnswer, completions } from './completion/complete.ts';
export type { NameReaders } from './completion/names.ts';
export { type Offer, offerAt, type Source } from './completion/place.ts';
export { type ConfirmOptions, confirm } from './confirm.ts';
export { CliError, type CliErrorCode, exitCodeOfSignal, FAILURE, Interrupted, USAGE } from './error.ts';
export { readNamed, withNamedFile } from './named-input.ts';
export {
  anyNumber,
  archiveOptions,
  collect,
  collectNamespaces,
  type Form,
  formerly,
  namespaceName,
  outputOption,
  type Platform,
  platforms,
  shared,
  timeSpan,
  wholeNumber,
} from './options.ts';
export { runProcess } from './process.ts';
export { emptyProgram, type ProgramFor, runCommandLine } from './program.ts';
export { age, duration, mebibytes, megabytes } from './terminal/amounts.ts';
export { LiveArea, type LiveLines, type TerminalStream } from './terminal/live-area.ts';
export type { Reporter } from './terminal/progress-reporter.ts';
export { given, type Question, type Questions, questions, type Terminal } from './terminal/questions.ts';
export { safeData, safeJson, safeLine, safeText } from './terminal/safe-text.ts';
export { type Paint, plain, type Screen, screenOf, type Tone } from './terminal/style.ts';
export { columnWidths, type TableOptions, table } from './terminal/table.ts';
export { wrap } from './terminal/wrap.ts';
