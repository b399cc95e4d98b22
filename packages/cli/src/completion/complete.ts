/** What may come next in a command line, for shells that ask while it is typed. */
import type { Command } from 'commander';
import { namesFrom } from './names.ts';
import { offerAt } from './place.ts';

/** @param words All that was typed; the last one is being completed, and may be empty. */
export async function completions(program: Command, words: readonly string[]): Promise<string[]> {
  const begun = words.at(-1) ?? '';
  const { words: known, sources, said } = offerAt(program, words.slice(0, -1));
  // Who begins an option wants no name.
  const names = begun.startsWith('-') ? [] : await namesFrom(sources, said);
  return [...names, ...known].filter((word) => word.startsWith(begun));
}
