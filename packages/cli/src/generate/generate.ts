/** `kurator generate` */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Action, type ActionContext, CliError } from '@kurator/command';
import { type DescribeOptions, describeProject } from '../deploy/describe-project.ts';
import { changesOf, type FileChange, isChange } from '../files/change.ts';
import { unifiedDiff } from '../files/diff.ts';
import { recovered } from '../files/journal.ts';
import { readRecord, recordOf } from '../files/record.ts';
import type { PlannedFile } from '../files/template.ts';
import { writeFiles } from '../files/write-files.ts';
import { readListing } from '../olm/listing.ts';
import { readSamples } from '../olm/samples.ts';
import { type Project, readProject } from '../project/project.ts';
import { FOREIGN_CRDS, fetchCrds, foreignCrds } from './foreign-crds.ts';
import { handwritten, isSomebodys, planGeneration } from './generation.ts';
import type { Generator, Known } from './generator.ts';
import { generators } from './generators.ts';

/** As commander gives them. */
export interface GenerateOptions {
  check?: boolean;
  dryRun?: boolean;
  typesFrom?: string[];
  overwrite?: boolean;
}

export const generate: Action<GenerateOptions, [first: string, rest: string[]]> = async (
  context,
  options,
  first,
  rest,
) => {
  const { place, what } = meant(first, rest);
  const project = await readProject(place);
  const { folder } = project;
  const fetched = await fetchCrds(options.typesFrom ?? [], context.signal);
  if (!options.dryRun && !options.check) await recovered(folder, context);
  const chosen = choose(folder, what);
  const everything = await known(project, chosen, {}, context.signal, fetched);
  // Who only checks is told of what was edited as of any other difference.
  const overwrite = options.overwrite || options.check || false;
  const plan = await planGeneration(folder, chosen, everything, { overwrite });
  const changes = [...(await brought(folder, fetched, everything, overwrite)), ...plan.changes];
  tellKept(plan.kept, context);
  if (options.check) return check(changes, context.print);
  if (options.dryRun) {
    context.print(changes.length > 0 ? changes.map(unifiedDiff).join('\n') : 'Nothing would change.');
    return 0;
  }
  await writeFiles(folder, changes);
  context.print(changes.length > 0 ? lines(changes, done) : 'Everything is up to date.');
  return 0;
};

/** The folder may be left out: then the first word is the first of what is wanted. */
function meant(first: string, rest: readonly string[]): { place: string; what: readonly string[] } {
  if (first in generators) return { place: '.', what: [first, ...rest] };
  if (existsSync(resolve(first))) return { place: first, what: rest };
  throw new CliError('KUR_CLI_USAGE', `"${first}" is no folder, and nothing that can be generated`, {
    remedy: `name the operator's folder, or one of ${Object.keys(generators).join(', ')}`,
  });
}

/** What was made once, and would be removed if nobody had changed it. */
export function tellKept(kept: readonly string[], { say }: Pick<ActionContext, 'say'>): void {
  for (const path of kept) say(`${path} is not generated any more, but was edited: it stays, and is yours.`);
}

/** What the generators want to know, from the project and the options. */
export async function known(
  project: Project,
  chosen: readonly Generator[],
  options: DescribeOptions,
  signal: AbortSignal,
  fetched: readonly PlannedFile[] = [],
): Promise<Known> {
  const { folder, name } = project;
  const isListed = chosen.some(({ catalogue }) => catalogue);
  const texts = isListed && { listing: await readListing(folder, name), samples: await readSamples(folder) };
  const foreign = await foreignCrds(folder, fetched);
  return { operator: await describeProject(folder, options, signal), foreign, ...texts };
}

/** Definitions from elsewhere, which replace only what was brought in so. */
async function brought(
  folder: string,
  fetched: readonly PlannedFile[],
  { operator }: Known,
  overwrite: boolean,
): Promise<FileChange[]> {
  if (fetched.length === 0) return [];
  const record = await readRecord(folder, FOREIGN_CRDS);
  const changes = (await changesOf(folder, fetched)).filter(isChange);
  const stranger = changes.find((change) => isSomebodys(record, FOREIGN_CRDS, change));
  if (stranger && !overwrite) throw handwritten(stranger.path);
  const noted = await changesOf(folder, [recordOf(operator.name, FOREIGN_CRDS, fetched, record.files)]);
  return [...changes, ...noted.filter(isChange)];
}

/** Those that are named; without names, all but those that nobody has asked for yet. */
function choose(folder: string, what: readonly string[]): Generator[] {
  const isWanted = ({ optional = false, folder: below }: Generator) => !optional || existsSync(join(folder, below));
  const named = Object.entries(generators).filter(([name, generator]) =>
    what.length > 0 ? what.includes(name) : isWanted(generator),
  );
  return named.map(([, generator]) => generator);
}

function check(changes: readonly FileChange[], print: (text: string) => void): number {
  if (changes.length === 0) {
    print('Everything is up to date.');
    return 0;
  }
  throw new CliError('KUR_CLI_DRIFT', `what is generated is not what the code says:\n${lines(changes, needed)}`, {
    remedy: 'run kurator generate, and commit what it writes',
  });
}

type Words = readonly [created: string, removed: string, changed: string];
const needed: Words = ['missing', 'surplus', 'outdated'];
const done: Words = ['created', 'removed', 'updated'];

function lines(changes: readonly FileChange[], [created, removed, changed]: Words): string {
  const word = ({ before, after }: FileChange) =>
    before === undefined ? created : after === undefined ? removed : changed;
  return changes.map((change) => `${word(change).padEnd(9)} ${change.path}`).join('\n');
}
