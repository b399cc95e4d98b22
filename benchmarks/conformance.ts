/**
 * Kubernetes' own conformance suite against our cluster, in parts that can be resumed, with images that are built here:
 * `npm run bench -- conformance --help`.
 */
import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Cluster,
  createCluster,
  defaultVersion,
  type ImageArchive,
  type Reporter,
  resolveBinaries,
} from '@kurator/testenv';
import { conformanceImages } from './conformance/images.ts';
import { known } from './conformance/known.ts';
import { conformanceOptions, help } from './conformance/options.ts';
import type { Outcome } from './conformance/outcome.ts';
import { type Part, partsOf } from './conformance/parts.ts';
import { runPart } from './conformance/run.ts';
import { openState, type State } from './conformance/state.ts';
import { obtainSuite, type Suite } from './conformance/suite.ts';
import { figuresOf, shown, summaryOf } from './conformance/summary.ts';
import { writeLines } from './figures/lines.ts';

const options = conformanceOptions(process.argv.slice(2));
const version = defaultVersion;
const say = (text: string) => process.stderr.write(`${text}\n`);
const reporter: Reporter = { info: say, verbose: () => {}, progress: () => {} };
process.once('SIGTERM', () => process.exit(143));
process.once('SIGINT', () => process.exit(130));

if (options.help) console.log(help);
else await prove();

async function prove(): Promise<void> {
  const suite = await obtainSuite(version);
  const state = await openState(version, options);
  const parts = partsOf(suite.tests, state.outcomes, options);
  const wanted = options.report ? [] : parts.slice(0, options.parts);
  if (wanted.length > 0) await runAll(suite, state, wanted);
  const summary = summaryOf(suite.tests, state.outcomes, known);
  await writeLines('conformance', figuresOf(summary, `kurator cluster, Kubernetes ${version}`));
  console.log(shown(suite.tests, state.outcomes, known));
  if (summary.unknown.length > 0) process.exitCode = 1;
}

async function runAll(suite: Suite, state: State, parts: readonly Part[]): Promise<void> {
  const { nodes, name, procs, minutes } = options;
  const deadline = performance.now() + minutes * 60_000;
  const { path } = await resolveBinaries({ version, programs: ['kubectl'], reporter });
  const images = await conformanceImages(suite, version, reporter);
  say(`starting a cluster of ${nodes} nodes, with ${images.length} images`);
  const { cluster, created } = await createCluster({ name, nodes, version, reporter });
  try {
    await loadAll(cluster, images);
    const { kubeconfig } = cluster;
    for (const [index, part] of parts.entries()) {
      if (performance.now() > deadline) {
        say(`${minutes} minutes are over`);
        return;
      }
      say(`part ${index + 1} of ${parts.length}: ${part.tests.length} tests${part.isSerial ? ', each alone' : ''}`);
      const folder = await state.folderOf(new Date().toISOString().replaceAll(':', ''));
      await note(state, part, (onPassed) =>
        runPart({ suite, part, procs, kubeconfig, kubectl: path('kubectl'), folder, onPassed }),
      );
    }
  } finally {
    if (created) await cluster.down();
  }
}

/** Says how each test came out, and remembers it: what passed at once, what failed when its part is over. */
async function note(
  state: State,
  { tests }: Part,
  run: (onPassed: (outcome: Outcome) => void) => Promise<Outcome[]>,
): Promise<void> {
  let count = 0;
  const tell = ({ name, state: how, seconds, reason }: Outcome) =>
    say(`${++count}/${tests.length} ${how} ${name} (${seconds} s)${reason ? `\n  ${reason}` : ''}`);
  const outcomes = await run((outcome) => {
    tell(outcome);
    state.add([outcome]);
  });
  outcomes.filter((outcome) => outcome.state === 'failed').forEach(tell);
  state.add(outcomes);
}

/** A cluster that is kept has them from the last time: what it was given is written down in its folder. */
async function loadAll(cluster: Cluster, images: readonly ImageArchive[]): Promise<void> {
  const file = join(cluster.folder, 'conformance-images');
  const loaded = (await readFile(file, 'utf8').catch(() => '')).split('\n');
  for (const { name: image, digest, path } of images) {
    const line = `${image}@${digest}`;
    if (loaded.includes(line)) continue;
    await cluster.load(path);
    await appendFile(file, `${line}\n`);
  }
}
