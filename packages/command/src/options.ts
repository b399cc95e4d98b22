/** Parsers of option values: a wrong one is refused before anything is done. And options that are called the same everywhere. */
import type { EventEmitter } from 'node:events';
import { type Command, InvalidArgumentError, Option } from 'commander';

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

/** A time span as Go writes it, left as it is: what reads it is loaded only when the command runs. */
export function timeSpan(text: string): string {
  if (/^(0|((\d+(\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h))+)$/.test(text)) return text;
  throw new InvalidArgumentError('Use a duration such as 90s, 2m or 1h30m.');
}

/** The name of a namespace, by Kubernetes' own rule: a wrong one would only be found missing. */
export function namespaceName(text: string): string {
  if (/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(text)) return text;
  throw new InvalidArgumentError('Use small letters, digits and dashes, such as web-shop.');
}

/** For an option that may be given several times. */
export function collect(text: string, before: readonly string[] = []): string[] {
  return [...before, text];
}

/** The same for namespaces. */
export function collectNamespaces(text: string, before?: readonly string[]): string[] {
  return collect(namespaceName(text), before);
}

/** How results can be printed, in kubectl's words. */
export type Form = 'json' | 'yaml' | 'wide' | 'name';

/** What an older spelling of an option stands for. */
interface Now {
  /** The option that is meant: `--watch-namespace`. */
  readonly option: string;
  /** The value that it means, for an older one that has none of its own. */
  readonly value?: string;
}

/** An older spelling of an option goes on working, and says on standard error how it is written now. */
export function formerly(command: Command, flags: string, { option, value }: Now): Command {
  const old = new Option(flags).hideHelp();
  let isTold = false;
  const tell = () => {
    const written = value === undefined ? option : `${option} ${value}`;
    if (!isTold) command.configureOutput().writeErr?.(`hint: ${old.long} is now ${written}\n`);
    isTold = true;
  };
  return command.addOption(old).on(`option:${old.name()}`, (given: string | null) => {
    tell();
    Reflect.deleteProperty(command.opts(), old.attributeName());
    give(command, option, value ?? given);
  });
}

/** As if it had been typed: commander itself takes options so, and its types don't say it. */
function give(command: Command, option: string, text: string | null): void {
  (command as Command & EventEmitter).emit(`option:${option.replace(/^--/, '')}`, text);
}

/** `-o`, in the forms that make sense for a command. */
export function outputOption(command: Command, forms: readonly Form[], description = 'how to print it'): Command {
  return command.addOption(new Option('-o, --output <form>', description).choices(forms));
}

/** `-o` and where an archive goes. The latter was `--output` once, which is told from a form by looking like a file. */
export function archiveOptions(command: Command, forms: readonly Form[]): Command {
  const archive = new Option('--archive <file>', 'where the archive goes (default: the cache)');
  const output = new Option('-o, --output <form>', 'how to print it').choices(forms);
  const { parseArg } = output;
  output.argParser((text, before: string | undefined) => {
    if (!/[./]/.test(text)) return parseArg?.(text, before) as string;
    command.configureOutput().writeErr?.('hint: --output FILE is now --archive FILE\n');
    give(command, '--archive', text);
    return before as string;
  });
  return formerly(command.addOption(archive).addOption(output), '--json', { option: '--output', value: 'json' });
}

const ARCHITECTURES = /^linux\/(amd64|arm64|arm\/v[67]|386|ppc64le|riscv64|s390x)$/;

/** What an image is to run on. */
export interface Platform {
  os: string;
  architecture: string;
  variant?: string;
}

/** `linux/amd64,linux/arm64`, each once; may be given several times. */
export function platforms(text: string, before: readonly Platform[] = []): Platform[] {
  const added = text.split(',').map((one): Platform => {
    if (!ARCHITECTURES.test(one)) {
      throw new InvalidArgumentError('Use platforms such as linux/amd64,linux/arm64, separated by commas.');
    }
    const [os = '', architecture = '', variant] = one.split('/');
    return { os, architecture, ...(variant === undefined ? {} : { variant }) };
  });
  const all = [...before, ...added];
  return [...new Map(all.map((platform) => [Object.values(platform).join('/'), platform])).values()];
}

/** Options that several commands share, so that they are called the same everywhere. */
export const shared = {
  name: (command: Command) => command.option('--name <name>', 'which cluster (default: "kurator")'),
  output: (command: Command, forms: readonly Form[] = ['json', 'yaml']) =>
    formerly(outputOption(command, forms), '--json', { option: '--output', value: 'json' }),
};
