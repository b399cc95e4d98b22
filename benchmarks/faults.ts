/**
 * The same faults in the care of Kurator and of Kubernetes' own probes, on real nodes, with 50 requests a second through
 * each Service: `npm run bench -- faults --help`.
 */
import { keepers, openArena } from './faults/arena.ts';
import { linesOf, mergeLines, type Trial, tableOf } from './faults/figures.ts';
import { faultsOptions, help } from './faults/options.ts';
import { trial } from './faults/trial.ts';
import { type Line, readLines, writeLines } from './figures/lines.ts';

const options = faultsOptions(process.argv.slice(2));
if (options.help) console.log(help);
else await measure();

async function measure(): Promise<void> {
  const say = (text: string) => process.stderr.write(`${text}\n`);
  const { seeds, kinds } = options;
  const trials: Trial[] = [];
  const arena = await openArena(`bench-faults-${process.pid}`);
  try {
    for (const kind of kinds) {
      for (let seed = 1; seed <= seeds; seed++) {
        say(`${kind.name}, ${seed} of ${seeds}`);
        const of = async (keeper: (typeof keepers)[number]) => {
          const outcome = await trial(arena, kind, keeper, seed);
          say(`  ${keeper}: ${JSON.stringify(outcome)}`);
          trials.push({ kind, keeper, outcome });
        };
        if (kind.alone) for (const keeper of keepers) await of(keeper);
        else await Promise.all(keepers.map(of));
      }
    }
  } finally {
    await arena[Symbol.asyncDispose]();
  }
  const names = kinds.map(({ name }) => name);
  await writeLines('faults', mergeLines((await readLines('faults')) as Line[], linesOf(trials), names));
  console.log(tableOf(trials));
}
