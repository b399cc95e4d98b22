/**
 * The same faults in the care of Kurator and of Kubernetes' own probes, at the same time, on real nodes, with 50 requests
 * a second through each Service. `npm run bench -- faults` prints medians and writes results/faults.jsonl.
 * RUNS=1 FAULTS=hang makes a quick look of it.
 */
import { whole } from './driver/options.ts';
import { keepers, openArena } from './faults/arena.ts';
import { linesOf, type Trials, tableOf } from './faults/figures.ts';
import { faultKinds } from './faults/kinds.ts';
import { trial } from './faults/trial.ts';
import { writeLines } from './figures/lines.ts';

const runs = whole('RUNS', process.env.RUNS ?? '3');
const wanted = process.env.FAULTS?.split(',');
const kinds = faultKinds.filter(({ name }) => wanted?.includes(name) ?? true);
if (kinds.length === 0) throw new Error(`FAULTS: use some of ${faultKinds.map(({ name }) => name).join(', ')}`);
const say = (text: string) => process.stderr.write(`${text}\n`);

const trials: Trials = [];
const arena = await openArena(`bench-faults-${process.pid}`);
try {
  for (let run = 1; run <= runs; run++) {
    for (const kind of kinds) {
      say(`${kind.name}, ${run} of ${runs}`);
      const both = keepers.map(async (keeper) => {
        const outcome = await trial(arena, kind, keeper, `${keeper}-${kind.name}-${run}`);
        return { fault: kind.name, keeper, outcome };
      });
      trials.push(...(await Promise.all(both)));
      for (const { keeper, outcome } of trials.slice(-keepers.length)) say(`  ${keeper}: ${JSON.stringify(outcome)}`);
    }
  }
} finally {
  await arena[Symbol.asyncDispose]();
}

await writeLines('faults', linesOf(trials));
console.log(tableOf(trials));
