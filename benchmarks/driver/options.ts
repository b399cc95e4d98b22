/** How a run of the benchmark is set by its environment. */

/** What `npm run bench -- sdk` does. */
export interface SdkOptions {
  /** `SUBJECTS=kurator,kopf`: who takes part. Default: all. */
  readonly subjects: readonly string[];
  /** `RUNS`: how often each is measured. Default: 3. */
  readonly runs: number;
  /** `SIZE`: how many objects the operators look after. Default: 3,000. */
  readonly size: number;
  /** `CACHED`: how many objects are cached. Default: 20,000. */
  readonly cached: number;
  /** `SIZES=0.1,1`: at which shares of both it is measured. Default: 0.1, 1 and 3. */
  readonly shares: readonly number[];
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads them; throws with the variable's name where one makes no sense. */
export function sdkOptions(env: Environment, allSubjects: readonly string[]): SdkOptions {
  const subjects = env.SUBJECTS?.split(',').map((name) => name.trim()) ?? allSubjects;
  for (const name of subjects) {
    if (!allSubjects.includes(name)) throw new Error(`SUBJECTS: there is no "${name}"; use ${allSubjects.join(', ')}`);
  }
  const shares = (env.SIZES ?? '0.1,1,3').split(',').map((text) => positive('SIZES', text));
  return {
    subjects,
    shares: shares.sort((a, b) => a - b),
    runs: whole('RUNS', env.RUNS ?? '3'),
    size: whole('SIZE', env.SIZE ?? '3000'),
    cached: whole('CACHED', env.CACHED ?? '20000'),
  };
}

/** A positive number from a variable. */
export function positive(variable: string, text: string): number {
  const number = Number(text);
  if (number > 0 && Number.isFinite(number)) return number;
  throw new Error(`${variable}: "${text}" is not a number above 0`);
}

/** A positive whole number from a variable. */
export function whole(variable: string, text: string): number {
  const number = positive(variable, text);
  if (Number.isInteger(number)) return number;
  throw new Error(`${variable}: "${text}" is not a whole number`);
}
