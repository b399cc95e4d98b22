/** Where in a command line the cursor is, and what may come there. Pure. */
import type { Command, Option } from 'commander';

/** What only a cluster, or this machine, can tell. */
export type Source = 'kurators' | 'incidents' | 'namespaces' | 'contexts' | 'clusters';

/** Options whose values are names of something. */
const ofOptions: Readonly<Record<string, Source>> = {
  '--namespace': 'namespaces',
  '--dependency': 'kurators',
  '--watch': 'namespaces',
  '--context': 'contexts',
  '--name': 'clusters',
};

/** Arguments that are names of something, by what they are called in the help. */
const ofArguments: Readonly<Record<string, readonly Source[]>> = {
  service: ['kurators'],
  services: ['kurators'],
  incident: ['incidents', 'kurators'],
};

/** What may come next. */
export interface Offer {
  /** Words that are known without asking. */
  readonly words: readonly string[];
  /** Where more can be learnt. */
  readonly sources: readonly Source[];
  /** What the line says so far of which cluster and which namespace is meant, by the option's name: `namespace`. */
  readonly said: Readonly<Record<string, string | true>>;
}

/** @param words What has been typed before the word that is being completed. */
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
    const option = optionOf(command, word);
    if (option) {
      if (option.required) expecting = option;
      else said[option.attributeName()] = true;
      continue;
    }
    command = command.commands.find((each) => each.name() === word) ?? command;
  }
  if (expecting) return { words: expecting.argChoices ?? [], sources: sourcesOfOption(expecting), said };
  return { words: wordsOf(command), sources: sourcesOf(command), said };
}

/** What comes in the place of an option's value. */
export function sourcesOfOption({ long, required }: Option): Source[] {
  const source = required && long ? ofOptions[long] : undefined;
  return source ? [source] : [];
}

/** What comes in the place of a command's arguments. */
export function sourcesOf({ registeredArguments }: Command): Source[] {
  return registeredArguments.flatMap((argument) => ofArguments[argument.name()] ?? []);
}

function optionOf(command: Command, word: string): Option | undefined {
  return command.options.find(({ long, short }) => word === long || word === short);
}

function wordsOf(command: Command): string[] {
  const commands = command.createHelp().visibleCommands(command);
  const options = command.createHelp().visibleOptions(command);
  return [
    ...commands.map((each) => each.name()),
    ...command.registeredArguments.flatMap((argument) => argument.argChoices ?? []),
    ...options.flatMap(({ long }) => (long ? [long] : [])),
  ];
}
