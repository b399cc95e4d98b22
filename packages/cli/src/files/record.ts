/**
 * Which files of a folder were written by a command, and what it wrote: kept beside them, and under version control with
 * them. What is not in the record, or is not as it was written, is somebody's own, and no command deletes it.
 */
import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import { type FileChange, readIfThere } from './change.ts';
import { leadsDown } from './place.ts';
import type { PlannedFile } from './template.ts';

const NAME = '.kurator-files.json';

/** What was written into one folder. */
export interface FileRecord {
  /** Whether there is one, and be it damaged: projects from before there were records have none. */
  readonly isThere: boolean;
  /** The operator that it was written for; undefined where nothing is known. */
  readonly operator: string | undefined;
  /** The digest of what was written, by path below the folder. */
  readonly files: ReadonlyMap<string, string>;
}

/** Nothing where there is no record, or one that is damaged (a merge can do that): then nothing is known to be ours. */
export async function readRecord(folder: string, below: string): Promise<FileRecord> {
  const text = await readIfThere(folder, posix.join(below, NAME));
  const nothing = { isThere: text !== undefined, operator: undefined, files: new Map() };
  if (text === undefined) return nothing;
  try {
    const { operator, files = {} } = JSON.parse(text) as { operator?: unknown; files?: Record<string, unknown> };
    // Somebody may have written this file: it says nothing of what is elsewhere.
    const named = Object.entries(files).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string' && leadsDown(entry[0]),
    );
    return { isThere: true, operator: typeof operator === 'string' ? operator : undefined, files: new Map(named) };
  } catch {
    return nothing;
  }
}

/**
 * The record of these files, to be written with them; without a text where there is nothing to record.
 *
 * @param before What was recorded and still counts; nothing unless given.
 */
export function recordOf(
  operator: string,
  below: string,
  planned: readonly PlannedFile[],
  before: FileRecord['files'] = new Map(),
) {
  const now = planned.map(({ path, text }) => [posix.relative(below, path), digestOf(text)] as const);
  const files = [...new Map([...before, ...now])];
  const sorted = files.toSorted(([a], [b]) => (a < b ? -1 : 1));
  const record = { operator, files: Object.fromEntries(sorted) };
  const text = files.length > 0 ? `${JSON.stringify(record, undefined, 2)}\n` : undefined;
  return { path: posix.join(below, NAME), text };
}

/** Whether a file is as it was written. */
export function isAsWritten({ files }: FileRecord, below: string, { path, before }: FileChange): boolean {
  return before !== undefined && files.get(posix.relative(below, path)) === digestOf(before);
}

export function digestOf(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}
