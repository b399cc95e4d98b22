/** How a run of `npm run bench -- etcd` is set by its arguments. */
import { parseArgs } from 'node:util';
import { positive, whole } from '../driver/options.ts';
import { falsified, mutants } from './mutants.ts';
import { scenarios } from './scenarios.ts';

const AT_ONCE = 4;
const CRASHES = 0.03;
/** On real pods a place takes minutes; and etcd-druid has to be built. */
const ONLY_BY_NAME = ['pod-crashes', 'druid'];
/** What needs a control plane, and no nodes. */
const WITHOUT_NODES = ['cost', 'crashes'];

const list = (entries: readonly (readonly [name: string, words: string])[]) =>
  entries.map(([name, words]) => `  ${name.padEnd(16)} ${words}`).join('\n');

export const help = `npm run bench -- etcd [--runs N [--first N] [--resume [--minutes N]] | --seed N] [--only NAME,…] [--at-once N] [--crashes SHARE]

Clusters of etcd that are written to while something happens to them, judged by etcd's own validator: are reads and writes
linearizable, do watches keep their promises. Then operators that are wrong, which must be found; the operator killed at its own
writes; a backup of 100 MB and its restore; a database that is full; and what it costs while nothing happens. Writes
benchmarks/results/etcd.jsonl if nothing is left out. At most 15 minutes on two cores.

  --runs N       how many runs, each with the next seed; ${scenarios.length} unless given, which is each scenario once
  --first N      the first of these seeds, and which places are tried where not all are; 1 unless given
  --seed N       this run alone, and nothing else
  --resume       runs alone, without those that earlier calls with it remember of this very operator; their counts take the place of
                 earlier ones in the results
  --minutes N    begins no run later than that
  --at-once N    how many runs at once, ${AT_ONCE} unless given; one run of each scenario that is measured has the machine for itself
  --crashes S    the operator is killed before, during and after this share of its writes; ${CRASHES} unless given, 1 is all of them
  --only NAME,…  only these scenarios and mutants, crashes, backups, nospace or cost; pod-crashes and druid take
                 place only if they are named
  --help         this

Scenarios:
${list(scenarios.map(({ name, words }) => [name, words]))}
  crashes          the operator is killed at its writes, on simulated members
  pod-crashes      the same on real ones: --crashes 0.01 takes some ten minutes
  druid            etcd-druid on the same nodes: a cluster is made, and loses a member, and a volume
Mutants:
${list(Object.entries(mutants).map(([name, { words }]) => [name, words]))}
  acknowledged     the judge's own record has a write that was never sent
  event            the judge's own record lacks an event of a watch
`;

export interface EtcdOptions {
  readonly help: boolean;
  readonly seeds: readonly number[];
  /** Whether runs are remembered, and those that are not done again. */
  readonly resume: boolean;
  /** After which no run begins. */
  readonly minutes: number;
  readonly atOnce: number;
  /** Of all places where the operator can be killed. */
  readonly crashes: { readonly share: number; readonly seed: number };
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
      resume: { type: 'boolean', default: false },
      minutes: { type: 'string' },
      'at-once': { type: 'string' },
      only: { type: 'string' },
      crashes: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const runNames = scenarios.map(({ name }) => name);
  const otherParts = [...Object.keys(mutants), ...falsified, 'crashes', 'backups', 'nospace', 'cost', ...ONLY_BY_NAME];
  const named = values.only?.split(',').map((name) => name.trim());
  const names = [...runNames, ...otherParts];
  const unknown = named?.find((name) => !names.includes(name));
  if (unknown) throw new Error(`--only: there is no "${unknown}"; use some of ${names.join(', ')}`);
  const runs = whole('--runs', values.runs ?? String(scenarios.length));
  const first = whole('--first', values.first ?? '1');
  const share = positive('--crashes', values.crashes ?? String(CRASHES));
  if (share > 1) throw new Error(`--crashes: "${values.crashes}" is more than 1, which is all of them`);
  const isReplay = values.seed !== undefined;
  const seeds = values.seed ? [whole('--seed', values.seed)] : Array.from({ length: runs }, (_, i) => first + i);
  const wanted = (named ?? names.filter((name) => !ONLY_BY_NAME.includes(name))).filter(
    (name) => !(isReplay || values.resume) || runNames.includes(name),
  );
  return {
    help: values.help,
    seeds,
    resume: values.resume,
    minutes: values.minutes === undefined ? Number.POSITIVE_INFINITY : positive('--minutes', values.minutes),
    atOnce: whole('--at-once', values['at-once'] ?? String(AT_ONCE)),
    crashes: { share, seed: first },
    isWhole: !isReplay && !values.resume && [values.first, values.minutes, named].every((given) => given === undefined),
    needsNodes: wanted.some((name) => !WITHOUT_NODES.includes(name)),
    isWanted: (name) => wanted.includes(name),
  };
}
