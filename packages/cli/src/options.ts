/** Parsers of option values: a wrong one is refused before anything is done. */
import { type Command, InvalidArgumentError } from 'commander';

/** A whole number within limits. */
export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw new InvalidArgumentError(`Use a whole number from ${least} to ${most}.`);
  };
}

/** A number, of which the library knows the limits. */
export function anyNumber(text: string): number {
  if (/^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Use a number.');
}

/** For an option that may be given several times. */
export function collect(text: string, before: readonly string[] = []): string[] {
  return [...before, text];
}

/** Options that several commands share, so that they are called the same everywhere. */
export const shared = {
  name: (command: Command) => command.option('--name <name>', 'which cluster (default: "kurator")'),
  json: (command: Command) => command.option('--json', 'print the result as JSON, for programs'),
};
