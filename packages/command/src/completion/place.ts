/** Where in a command line the cursor is, and what may come there. Pure. */
import type { Command, Option } from 'commander';

/** What only a cluster, or this machine, can tell. */
export type Source = 'kurators' | 'incidents' | 'namespaces' | 'contexts' | 'clusters';

/** Options whose values are names of something. */
const ofOptions: Readonly<Record<string, Source>> = {
  '--namespace': 'namespaces',
  '--dependency': 'kurators',
  '--watch': 'namespaces',
  '--watch-namespace': 'namespaces',
  '--context': 'contexts',
  '--name': 'clusters',
};

/** Arguments that are names of something, by what they are called in the help. */
const ofArguments: Readonly<Record<string, readonly Source[]>> = {
  service: ['kurators'],
  services: ['kurators'],
  incident: ['incidents', 'kurators'],
};

/** Values that are files, and folders, by what they are called in the help. */
const FILES = new Set(['file', 'archive', 'path', 'crd']);
const FOLDERS = new Set(['folder']);

/** What may come next. */
export interface Offer {
  /** Words that are known without asking. */
  readonly words: readonly string[];
  /** What some of them mean. */
  readonly meanings: Readonly<Record<string, string>>;
  /** Whether files, or folders, may come too, which the shell knows itself. */
  readonly files: 'any' | 'folders' | 'none';
  /** Where more can be learnt. */
  readonly sources: readonly Source[];
  /** What the line says so far of which cluster and which namespace is meant, by the option's name: `namespace`. */
  readonly said: Readonly<Record<string, string | true>>;
}

/**
 * What may come at the end of a line.
 *
 * @param words What has been typed before the word that is being completed.
 */
export function offerAt(program: Command, words: readonly string[]): Offer {
  let command = program;
  let expecting: Option | undefined;
  const said: Record<string, string | true> = {};
  for (const word of words) {
    if (expecting) {
      said[expecting.attributeName()] = word;
      expecting = undefined;
      continue;
    }
    const [name = word, value] = /^--[^=]+=/.test(word) ? splitAt(word, '=') : [];
    const option = optionOf(command, name);
    if (option) {
      if (option.required && value === undefined) expecting = option;
      else said[option.attributeName()] = value ?? true;
      continue;
    }
    command = command.commands.find((each) => each.name() === word) ?? command;
  }
  if (expecting) return { ...valuesOf(expecting), said };
  const arguments_ = command.registeredArguments.map((argument) => argument.name());
  const sources = arguments_.flatMap((name) => ofArguments[name] ?? []);
  return { ...wordsOf(command), sources, files: filesOf(arguments_), said };
}

/** What comes in the place of an option's value. */
function valuesOf({ long, flags, argChoices = [] }: Option): Omit<Offer, 'said'> {
  const source = long ? ofOptions[long] : undefined;
  const placeholder = /<([^>]+)>/.exec(flags)?.[1] ?? '';
  return { words: argChoices, meanings: {}, sources: source ? [source] : [], files: filesOf([placeholder]) };
}

function filesOf(names: readonly string[]): Offer['files'] {
  if (names.some((name) => FILES.has(name))) return 'any';
  return names.some((name) => FOLDERS.has(name)) ? 'folders' : 'none';
}

function splitAt(text: string, sign: string): [before: string, after: string] {
  const at = text.indexOf(sign);
  return [text.slice(0, at), text.slice(at + sign.length)];
}

function optionOf(command: Command, word: string): Option | undefined {
  return command.options.find(({ long, short }) => word === long || word === short);
}

function wordsOf(command: Command): Pick<Offer, 'words' | 'meanings'> {
  const commands = command.createHelp().visibleCommands(command);
  const options = command.createHelp().visibleOptions(command);
  const described = [
    ...commands.map((each): [string, string] => [each.name(), each.description()]),
    ...options.flatMap(({ long, description }): [string, string][] => (long ? [[long, description]] : [])),
  ];
  const choices = command.registeredArguments.flatMap((argument) => argument.argChoices ?? []);
  const isCommand = (word: string) => !word.startsWith('-');
  const words = described.map(([word]) => word);
  return {
    words: [...words.filter(isCommand), ...choices, ...words.filter((word) => !isCommand(word))],
    meanings: Object.fromEntries(described),
  };
}
