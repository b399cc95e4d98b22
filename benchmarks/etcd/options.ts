/** How a run of `npm run bench -- etcd` is set by its arguments. */
import { parseArgs } from 'node:util';
import { positive, whole } from '../driver/options.ts';
import { falsified, mutants } from './mutants.ts';
import { scenarios } from './scenarios.ts';

const list = (entries: readonly (readonly [name: string, words: string])[]) =>
  entries.map(([name, words]) => `  ${name.padEnd(16)} ${words}`).join('\n');

export const help = `npm run bench -- etcd [--runs N [--first N] | --seed N] [--only NAME,…] [--crashes SHARE]

Clusters of etcd that are written to while something happens to them, judged by etcd's own validator: are reads and writes
linearizable, do watches keep their promises. Then operators that are wrong, which must be found; the operator killed at its own
writes; a backup of 100 MB and its restore; and what it costs while nothing happens. Writes benchmarks/results/etcd.jsonl if nothing
is left out. Some 15 minutes on two cores.

  --runs N       how many runs, each with the next seed; ${scenarios.length} unless given, which is each scenario once
  --first N      the first of these seeds; 1 unless given
  --seed N       this run alone, and nothing else
  --crashes S    the operator is killed before, during and after this share of its writes; 0.02 unless given, 1 is all of them
  --only NAME,…  only these scenarios and mutants, crashes, backups or cost
  --help         this

Scenarios:
${list(scenarios.map(({ name, words }) => [name, words]))}
Mutants:
${list(Object.entries(mutants).map(([name, { words }]) => [name, words]))}
  acknowledged     the judge's own record has a write that was never sent
  event            the judge's own record lacks an event of a watch
`;

export interface EtcdOptions {
  readonly help: boolean;
  readonly seeds: readonly number[];
  /** Of all places where the operator can be killed. */
  readonly crashes: number;
  /** Whether it is one run that is done again. */
  readonly isReplay: boolean;
  /** Whether nothing is left out: only then are results written. */
  readonly isWhole: boolean;
  readonly needsNodes: boolean;
  isWanted(name: string): boolean;
}

/** Reads them; throws with the option's name where one makes no sense. */
export function etcdOptions(args: readonly string[]): EtcdOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      runs: { type: 'string' },
      first: { type: 'string' },
      seed: { type: 'string' },
      only: { type: 'string' },
      crashes: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const wanted = values.only?.split(',').map((name) => name.trim());
  const names = [
    ...scenarios.map(({ name }) => name),
    ...Object.keys(mutants),
    ...falsified,
    'crashes',
    'backups',
    'cost',
  ];
  const unknown = wanted?.find((name) => !names.includes(name));
  if (unknown) throw new Error(`--only: there is no "${unknown}"; use some of ${names.join(', ')}`);
  const runs = whole('--runs', values.runs ?? String(scenarios.length));
  const first = whole('--first', values.first ?? '1');
  const crashes = positive('--crashes', values.crashes ?? '0.02');
  if (crashes > 1) throw new Error(`--crashes: "${values.crashes}" is more than 1, which is all of them`);
  const seeds = values.seed ? [whole('--seed', values.seed)] : Array.from({ length: runs }, (_, i) => first + i);
  return {
    help: values.help,
    seeds,
    crashes,
    isReplay: values.seed !== undefined,
    isWhole: [values.seed, values.first, wanted].every((given) => given === undefined),
    needsNodes: wanted?.some((name) => name !== 'cost') ?? true,
    isWanted: (name) => wanted?.includes(name) ?? true,
  };
}
