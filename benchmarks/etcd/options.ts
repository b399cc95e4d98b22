/** How a run of `npm run bench -- etcd` is set by its arguments. */
import { parseArgs } from 'node:util';
import { whole } from '../driver/options.ts';
import { falsified, mutants } from './mutants.ts';
import { scenarios } from './scenarios.ts';

const list = (entries: readonly (readonly [name: string, words: string])[]) =>
  entries.map(([name, words]) => `  ${name.padEnd(16)} ${words}`).join('\n');

export const help = `npm run bench -- etcd [--runs N | --seed N] [--only NAME,…]

Clusters of etcd that are written to while something happens to them, judged by etcd's own validator: are reads and writes
linearizable, do watches keep their promises. Then operators that are wrong, which must be found. Writes
benchmarks/results/etcd.jsonl. Some 15 minutes on two cores.

  --runs N       how many runs, each with the next seed; ${scenarios.length} unless given, which is each scenario once
  --seed N       this run alone, and nothing else
  --only NAME,…  only these scenarios and mutants
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
  /** Whether it is one run that is done again. */
  readonly isReplay: boolean;
  isWanted(name: string): boolean;
}

/** Reads them; throws with the option's name where one makes no sense. */
export function etcdOptions(args: readonly string[]): EtcdOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      runs: { type: 'string' },
      seed: { type: 'string' },
      only: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const wanted = values.only?.split(',').map((name) => name.trim());
  const names = [...scenarios.map(({ name }) => name), ...Object.keys(mutants), ...falsified];
  const unknown = wanted?.find((name) => !names.includes(name));
  if (unknown) throw new Error(`--only: there is no "${unknown}"; use some of ${names.join(', ')}`);
  const runs = whole('--runs', values.runs ?? String(scenarios.length));
  const seeds = values.seed ? [whole('--seed', values.seed)] : Array.from({ length: runs }, (_, i) => i + 1);
  return {
    help: values.help,
    seeds,
    isReplay: values.seed !== undefined,
    isWanted: (name) => wanted?.includes(name) ?? true,
  };
}
