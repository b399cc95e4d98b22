/** What has to change in a project so that it holds what generators make. Writes nothing. */
import { posix } from 'node:path';
import { CliError } from '@kurator/command';
import { changesOf, type FileChange, isChange } from '../files/change.ts';
import { isGenerated } from '../files/generated-file.ts';
import { type FileRecord, isAsWritten, readRecord, recordOf } from '../files/record.ts';
import type { PlannedFile } from '../files/template.ts';
import type { Generator, Known } from './generator.ts';

/** What is to be done to the folders of the generators. */
export interface GenerationPlan {
  readonly changes: readonly FileChange[];
  /** Files that were made once and are made no more, but that somebody has changed: they stay, and are his from now on. */
  readonly kept: readonly string[];
}

/** How a plan is made. */
export interface GenerationOptions {
  /** Whether files of somebody's that have the name of one to be made are replaced. False unless given. */
  readonly overwrite?: boolean;
}

/** What has to change so that the folders of the generators hold what these make, and nothing that was made before. */
export async function planGeneration(
  folder: string,
  chosen: readonly Generator[],
  known: Known,
  options: GenerationOptions = {},
): Promise<GenerationPlan> {
  const plans = await Promise.all(chosen.map((generator) => planBy(folder, generator, known, options)));
  return {
    changes: plans.flatMap(({ changes }) => changes).filter(isChange),
    kept: plans.flatMap(({ kept }) => kept),
  };
}

async function planBy(
  folder: string,
  generator: Generator,
  known: Known,
  { overwrite = false }: GenerationOptions,
): Promise<GenerationPlan> {
  const { folder: below } = generator;
  const { name } = known.operator;
  const planned = generator.files(known);
  const record = await readRecord(folder, below);
  if (record.operator !== undefined && record.operator !== name) throw notOurs(below, record.operator);
  const made = await changesOf(folder, planned);
  const stranger = made.filter(isChange).find((change) => isSomebodys(record, below, change));
  if (stranger && !overwrite) throw handwritten(stranger.path);
  const old = await noLongerMade(folder, below, record, planned);
  const gone = old.filter((change) => isAsWritten(record, below, change));
  const kept = old.filter((change) => change.before !== undefined && !gone.includes(change));
  const noted = await changesOf(folder, [recordOf(name, below, planned)]);
  return { changes: [...made, ...gone, ...noted], kept: kept.map(({ path }) => path) };
}

/** Not as it was written. A mark in it counts only where nothing was recorded yet: people edit below it. */
export function isSomebodys(record: FileRecord, below: string, change: FileChange): boolean {
  const { before } = change;
  if (before === undefined || isAsWritten(record, below, change)) return false;
  return record.isThere || !isGenerated(before);
}

async function noLongerMade(
  folder: string,
  below: string,
  { files }: FileRecord,
  planned: readonly PlannedFile[],
): Promise<FileChange[]> {
  const wanted = new Set(planned.map(({ path }) => path));
  const paths = [...files.keys()].map((path) => posix.join(below, path)).filter((path) => !wanted.has(path));
  return await changesOf(
    folder,
    paths.map((path) => ({ path, text: undefined })),
  );
}

/** For a file that is not replaced without being told to. */
export function handwritten(path: string): CliError {
  return new CliError('KUR_CLI_EDITED', `${path} is not as it was generated, or was never: it stays as it is`, {
    remedy: 'move your changes elsewhere (overlays of kustomize, values of Helm); --overwrite replaces it',
  });
}

function notOurs(folder: string, operator: string): CliError {
  return new CliError('KUR_CLI_NOT_OURS', `${folder} has the files of another operator, ${operator}`, {
    remedy: 'give a folder of its own',
  });
}
