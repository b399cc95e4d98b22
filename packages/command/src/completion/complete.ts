/** What may come next in a command line, for shells that ask while it is typed. */
import type { Command } from 'commander';
import { type NameReaders, namesFrom } from './names.ts';
import { type Offer, offerAt } from './place.ts';

/**
 * What may come there.
 *
 * @param words All that was typed; the last one is being completed, and may be empty.
 * @param more Readers of names that no API server knows.
 */
export async function completions(
  program: Command,
  words: readonly string[],
  more: NameReaders = {},
): Promise<string[]> {
  return (await found(program, words, more)).words;
}

/** What of the shell's own is wanted besides, by the number that cobra's programs say it with. */
const directives: Readonly<Record<Offer['files'], number>> = { any: 0, none: 4, folders: 16 };

/**
 * The answer to a shell: a line for each word, with what it means after a tab, and a last line `:N`. So do cobra's programs, kubectl
 * among them; a script that knows how to ask one of them knows how to ask this.
 */
export async function completionAnswer(
  program: Command,
  typed: readonly string[],
  more: NameReaders = {},
): Promise<string> {
  const { words, meanings, files } = await found(program, typed, more);
  const lines = words.map((word) => (meanings[word] ? `${word}\t${meanings[word]}` : word));
  return [...lines, `:${directives[files]}`].join('\n');
}

async function found(
  program: Command,
  typed: readonly string[],
  more: NameReaders,
): Promise<Pick<Offer, 'meanings' | 'files'> & { words: string[] }> {
  const words = withoutSigns(typed);
  const last = words.at(-1) ?? '';
  const [, option, value] = /^(--[^=]+)=(.*)$/s.exec(last) ?? [];
  const begun = value ?? last;
  const before = option === undefined ? words.slice(0, -1) : [...words.slice(0, -1), option];
  const { words: known, sources, said, meanings, files } = offerAt(program, before);
  // Who begins an option wants no name, and no file.
  const isOption = begun.startsWith('-');
  const names = isOption ? [] : await namesFrom(sources, said, more);
  const fitting = [...names, ...known].filter((word) => word.startsWith(begun));
  const prefixed = option === undefined ? fitting : fitting.map((word) => `${option}=${word}`);
  return { words: prefixed, meanings, files: isOption ? 'none' : files };
}

/** bash makes three words of `--output=json`. */
function withoutSigns(words: readonly string[]): readonly string[] {
  const rest = words.filter((word, at) => word !== '=' || at === words.length - 1 || !words[at - 1]?.startsWith('--'));
  return rest.at(-1) === '=' ? [...rest.slice(0, -1), ''] : rest;
}
