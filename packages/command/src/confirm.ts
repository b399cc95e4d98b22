/** What destroys something is done only after a yes: from a person at a terminal, or from `--yes`. */
import { CliError } from './error.ts';
import { questions, type Terminal } from './terminal/questions.ts';

/** How the yes may come. */
export interface ConfirmOptions extends Partial<Terminal> {
  /** It was said beforehand: `--yes`. */
  yes?: boolean | undefined;
}

/**
 * Returns after a yes. Otherwise `KUR_CLI_NOT_CONFIRMED`, and the command has done nothing.
 *
 * @param question Names all that would be lost, as `Delete the CRD widgets.example.com and its 3 objects?`.
 */
export async function confirm(question: string, options: ConfirmOptions): Promise<void> {
  const { yes, input = process.stdin, output = process.stderr } = options;
  if (yes) return;
  const asked = questions({ input, output });
  if (await asked?.confirm(question)) return;
  const why = asked ? 'the answer was no' : 'there is no terminal to ask on';
  throw new CliError('KUR_CLI_NOT_CONFIRMED', `nothing was done, because ${why}: ${question}`, {
    remedy: 'give --yes',
  });
}
