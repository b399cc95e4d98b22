/** How a run of `npm run bench -- faults` is set by its arguments. */
import { parseArgs } from 'node:util';
import { whole } from '../driver/options.ts';
import { type FaultKind, faultKinds } from './kinds.ts';

export const help = `npm run bench -- faults [--seeds N] [--only KIND,…]

The same faults in the care of Kurator and of Kubernetes' own probes, on real nodes, with 50 requests a second through
each Service. Prints a table of the medians (and of the worst), and writes benchmarks/results/faults.jsonl.

  --seeds N       how often each is done, each time to another instance and at another moment; 3 unless given
  --only KIND,…   only some of: ${faultKinds.map(({ name }) => name).join(', ')}
  --help          this

Faults, in this order:
${faultKinds.map(({ name, words }) => `  ${name.padEnd(15)} ${words}`).join('\n')}
`;

export interface FaultsOptions {
  readonly help: boolean;
  readonly seeds: number;
  readonly kinds: readonly FaultKind[];
}

/** Reads them; throws with the option's name where one makes no sense. */
export function faultsOptions(args: readonly string[]): FaultsOptions {
  const { values } = parseArgs({
    args: [...args],
    options: { seeds: { type: 'string' }, only: { type: 'string' }, help: { type: 'boolean', default: false } },
  });
  const wanted = values.only?.split(',').map((name) => name.trim());
  for (const name of wanted ?? []) {
    if (!faultKinds.some((kind) => kind.name === name)) {
      throw new Error(`--only: there is no "${name}"; use some of ${faultKinds.map((kind) => kind.name).join(', ')}`);
    }
  }
  const kinds = faultKinds.filter(({ name }) => wanted?.includes(name) ?? true);
  return { help: values.help, seeds: whole('--seeds', values.seeds ?? '3'), kinds };
}
