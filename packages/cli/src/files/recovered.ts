/** What commands do before they look at a folder: it may have been left half written. */
import type { ActionContext } from '@kurator/command';
import { recover } from './journal.ts';

/** Puts back what was there before a command that was killed, and says so. */
export async function recovered(folder: string, { say }: Pick<ActionContext, 'say'>): Promise<void> {
  const left = await recover(folder);
  if (!left) return;
  say('An earlier command was ended while it wrote; what it had written is undone.');
  for (const path of left) say(`${path} has been changed since, and stays as it is.`);
}
