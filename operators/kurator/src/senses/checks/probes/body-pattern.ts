/** Regular expressions over text from elsewhere: one that backtracks for ever must not hold up all other checks. */
import { createContext, Script } from 'node:vm';
import { InvalidCheck } from '../check.ts';

const LIMIT_MS = 50;

/** `too-slow`: it did not come to an end in time. */
export type Match = 'yes' | 'no' | 'too-slow';

/** Throws `InvalidCheck` for what is no regular expression. */
export function compilePattern(source: string): RegExp {
  try {
    return new RegExp(source, 'u');
  } catch (error) {
    throw new InvalidCheck(`expect.bodyMatches: ${(error as Error).message}`, { cause: error });
  }
}

/** Only a script in a context can be stopped from outside; V8 looks for the stop while it backtracks. */
const bench = createContext({ pattern: /./, text: '' }, { codeGeneration: { strings: false, wasm: false } });
const script = new Script('pattern.test(text)');

/** Without repetitions there is nothing to try again: it can run without the thread that watches a script. */
function isPlain({ source }: RegExp): boolean {
  return !/[*+?{]|\\[1-9k]/.test(source);
}

/** Whether the pattern occurs in the text, decided within 50 ms. */
export function matchPattern(pattern: RegExp, text: string): Match {
  if (isPlain(pattern)) return pattern.test(text) ? 'yes' : 'no';
  bench.pattern = pattern;
  bench.text = text;
  try {
    return script.runInContext(bench, { timeout: LIMIT_MS }) ? 'yes' : 'no';
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return 'too-slow';
    throw error;
  } finally {
    bench.text = '';
  }
}
