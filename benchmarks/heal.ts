/**
 * What checking costs: the healer's checks and their peers, against the same local servers, in turns.
 * `npm run bench -- heal` prints figures with ratios to a prober as the kubelet has it, says which targets are met,
 * and writes results/heal.jsonl. `--help` says how to make a quick look of it.
 */
import { whole } from './driver/options.ts';
import { type Figure, linesOf, writeLines } from './figures/lines.ts';
import { markdownTable } from './figures/table.ts';
import { shownTargets } from './heal/figures.ts';
import { hosts, type Load, ports } from './heal/load.ts';
import { type Contestant, makeContestants, makeTargets } from './heal/make.ts';
import { measure, type Turn } from './heal/measure.ts';
import { measureThinking } from './heal/thinking.ts';
import { startSubject } from './subjects/subject.ts';

const help = `npm run bench -- heal: what checks and thoughts cost. Some ten minutes, on a quiet machine.

SIZES=1000,10000,50000   how many checks every 5 s, one turn each
SECONDS=20               how long each turn is measured
CONTESTANTS=kurator,…    who takes part; all unless given
A quick look: SIZES=1000 SECONDS=5 CONTESTANTS=kurator npm run bench -- heal`;

if (process.argv.includes('--help')) {
  console.log(help);
  process.exit();
}

const INTERVAL_MS = 5000;
const seconds = whole('SECONDS', process.env.SECONDS ?? '20');
const sizes = (process.env.SIZES ?? '1000,10000,50000').split(',').map((size) => whole('SIZES', size));
const wanted = process.env.CONTESTANTS?.split(',');
/** fetch takes twice what node:http takes: more of it would only measure how it drowns. */
const most: Readonly<Record<string, number>> = { fetch: 10_000, 'node:http': 10_000 };

const say = (text: string) => process.stderr.write(`${text}\n`);
const { contestants, missing } = await makeContestants();
for (const reason of missing) say(`left out: ${reason}`);

const targets = startSubject(await makeTargets(), { HOSTS: String(hosts), PORTS: String(ports) });
const port = Number((await targets.says('ready')).split(' ')[1]);
const figures: Figure[] = [];

async function turnOf(contestant: Contestant, load: Omit<Load, 'port' | 'intervalMs' | 'timeoutMs'>): Promise<Turn> {
  return await targets.during(measure(contestant, { ...load, port, intervalMs: INTERVAL_MS, timeoutMs: 1000 }));
}

async function measureFlatOut(contestant: Contestant, kind: Load['kind']): Promise<void> {
  const load = { kind, checks: 200, warmSeconds: 2, measureSeconds: Math.min(5, seconds), flatOut: true };
  const { results, cpuSeconds } = await turnOf(contestant, load);
  figures.push({ subject: contestant.name, metric: `${kind}_per_core`, value: results / cpuSeconds, unit: 'checks/s' });
}

async function measureAt(contestant: Contestant, kind: Load['kind'], checks: number): Promise<void> {
  const turn = await turnOf(contestant, { kind, checks, warmSeconds: 7, measureSeconds: seconds, flatOut: false });
  const add = (name: string, value: number, unit: string) =>
    figures.push({ subject: contestant.name, metric: `${kind}_${checks}_${name}`, value, unit });
  add('cores', turn.cpuSeconds / seconds, 'cores');
  add('lateness_p50_ms', turn.p50, 'ms');
  add('lateness_p99_ms', turn.p99, 'ms');
  add('rss', turn.rssMiB, 'MiB');
  add('share', turn.results / ((checks * seconds * 1000) / INTERVAL_MS), 'of wanted');
  add('missed', turn.missed, 'periods');
  add('failed', turn.failed, 'checks');
}

try {
  for (const kind of ['tcp', 'http'] as const) {
    const taking = contestants.filter(
      ({ name }) => (wanted?.includes(name) ?? true) && (kind === 'http' || name !== 'fetch'),
    );
    for (const contestant of taking) {
      say(`${kind}, flat out: ${contestant.name}`);
      await measureFlatOut(contestant, kind);
    }
    for (const size of sizes) {
      for (const contestant of taking.filter(({ name }) => size <= (most[name] ?? size))) {
        say(`${kind}, ${size} every ${INTERVAL_MS / 1000} s: ${contestant.name}`);
        await measureAt(contestant, kind, size);
      }
    }
  }
} finally {
  await targets.stop();
}

if (wanted?.includes('kurator') ?? true) {
  for (const services of [500, 5000]) {
    say(`thinking about ${services} services`);
    figures.push(...measureThinking(services));
  }
}

const lines = linesOf(figures, 'kubelet-prober');
await writeLines('heal', lines);
console.log(markdownTable(tableOf()));
for (const line of shownTargets(figures)) console.log(line);

function tableOf(): string[][] {
  const subjects = [...new Set(lines.map(({ subject }) => subject))];
  const cell = (metric: string, subject: string) => {
    const line = lines.find((each) => each.metric === metric && each.subject === subject);
    if (!line) return '';
    const value = line.value >= 100 ? line.value.toFixed(0) : line.value.toFixed(2);
    return `${value} ${line.unit}${line.ratio === null ? '' : ` (${line.ratio.toFixed(2)})`}`;
  };
  const metrics = [...new Set(lines.map(({ metric }) => metric))];
  return [['', ...subjects], ...metrics.map((metric) => [metric, ...subjects.map((subject) => cell(metric, subject))])];
}
