/** Asks a person for what was not given; only on a terminal, and always with the flag that makes the question needless. */
import type { Readable, Writable } from 'node:stream';
import { CliError, Interrupted } from '../error.ts';

/** One answer that is wanted. */
export interface Question {
  readonly message: string;
  readonly initial?: string;
  /** What is wrong with an answer; undefined if nothing is. */
  readonly problem?: (answer: string) => string | undefined;
}

/** Somebody who can be asked. */
export interface Questions {
  text(question: Question): Promise<string>;
  confirm(message: string): Promise<boolean>;
}

/** A terminal: where answers are typed, and where questions are shown. */
export interface Terminal {
  readonly input: Readable & { readonly isTTY?: boolean };
  readonly output: Writable & { readonly isTTY?: boolean };
}

/** Undefined where nobody is there to answer. @param terminal The one of this process unless given. */
export function questions(
  { input, output }: Terminal = { input: process.stdin, output: process.stderr },
): Questions | undefined {
  if (!input.isTTY || !output.isTTY) return undefined;
  return {
    async text({ message, initial = '', problem }) {
      const { text } = await import('@clack/prompts');
      const validate = (answer: string | undefined) => problem?.(answer ?? '');
      return answered<string>(await text({ message, initialValue: initial, validate, input, output }));
    },
    async confirm(message) {
      const { confirm } = await import('@clack/prompts');
      return answered<boolean>(await confirm({ message, initialValue: false, input, output }));
    },
  };
}

/** Ctrl-C in a question ends the command as it does elsewhere. */
function answered<T>(answer: T | symbol): T {
  if (typeof answer === 'symbol') throw new Interrupted('SIGINT');
  return answer;
}

/** The value of a flag, or the answer to its question; an error that names the flag where there is neither. */
export async function given(
  flag: string,
  value: string | undefined,
  question: Question,
  asked: Questions | undefined,
): Promise<string> {
  if (value === undefined) {
    if (asked) return await asked.text(question);
    throw new CliError('KUR_CLI_USAGE', `${flag} is missing, and there is no terminal to ask on`, {
      remedy: `give ${flag}`,
    });
  }
  const problem = question.problem?.(value);
  if (problem === undefined) return value;
  throw new CliError('KUR_CLI_USAGE', `${flag} "${value}" can't be used`, { remedy: problem });
}
