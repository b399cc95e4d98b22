/** How a run of `npm run bench -- conformance` is set by its arguments. */
import { parseArgs } from 'node:util';
import { whole } from '../driver/options.ts';

export const help = `npm run bench -- conformance [--focus REGEX] [--parts N] [--retry] …

Kubernetes' own conformance suite against a cluster of \`kurator cluster up\`, with every image that it asks for built here.
What was run is remembered: the next call goes on with what is left. Prints how many passed, and the reason of each that
did not; writes benchmarks/results/conformance.jsonl. Exits with 1 if one failed that conformance/known.ts has no reason for.

  --focus REGEX   only tests whose names match; all of them unless given
  --parts N       stop after so many parts; go on until all is done unless given
  --minutes N     begin no part after so many minutes; go on until all is done unless given
  --size N        tests of one part, which are remembered together; 20 unless given
  --procs N       tests that run at the same time, unless they want to be alone; 3 unless given
  --nodes N       nodes of the cluster; 2 unless given
  --name NAME     the cluster's name; one that is running already is used, and stays; conformance unless given
  --retry         run again what failed
  --fresh         forget what was run, and begin anew
  --report        run nothing: only say how it stands
  --help          this
`;

export interface ConformanceOptions {
  readonly help: boolean;
  readonly focus: RegExp;
  readonly parts: number;
  readonly minutes: number;
  readonly size: number;
  readonly procs: number;
  readonly nodes: number;
  readonly name: string;
  readonly retry: boolean;
  readonly fresh: boolean;
  readonly report: boolean;
}

/** Reads them; throws with the option's name where one makes no sense. */
export function conformanceOptions(args: readonly string[]): ConformanceOptions {
  const flag = { type: 'boolean', default: false } as const;
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    args: [...args],
    options: {
      ...{ focus: text, parts: text, minutes: text, size: text, procs: text, nodes: text, name: text },
      ...{ retry: flag, fresh: flag, report: flag, help: flag },
    },
  });
  const { help, retry, fresh, report, name = 'conformance' } = values;
  return {
    ...{ help, retry, fresh, report, name },
    focus: expression(values.focus ?? ''),
    parts: limit('--parts', values.parts),
    minutes: limit('--minutes', values.minutes),
    size: whole('--size', values.size ?? '20'),
    procs: whole('--procs', values.procs ?? '3'),
    nodes: whole('--nodes', values.nodes ?? '2'),
  };
}

/** How many at most; without one there is none. */
function limit(option: string, text: string | undefined): number {
  return text === undefined ? Number.POSITIVE_INFINITY : whole(option, text);
}

function expression(text: string): RegExp {
  try {
    return new RegExp(text);
  } catch (cause) {
    throw new Error(`--focus: ${(cause as Error).message}`, { cause });
  }
}
