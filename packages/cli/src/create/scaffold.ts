/** Carries out what a `create` command has planned: shows it, asks before it replaces what somebody wrote, writes it. */
import type { ActionContext, Questions } from '@kurator/command';
import { changesOf, type FileChange, isChange } from '../files/change.ts';
import { unifiedDiff } from '../files/diff.ts';
import type { PlannedFile } from '../files/template.ts';
import { writeFiles } from '../files/write-files.ts';

/** What a command would do to a project. */
export interface Scaffold {
  /** New files. What is there already, and is different, is somebody's work. */
  readonly files: readonly PlannedFile[];
  /** Files that are there, with a line or two more. */
  readonly edits: readonly PlannedFile[];
}

/** Options that all `create` commands share. */
export interface ScaffoldOptions {
  readonly dryRun?: boolean;
  readonly overwrite?: boolean;
}

export async function writeScaffold(
  { print }: Pick<ActionContext, 'print'>,
  folder: string,
  plan: Scaffold,
  { dryRun = false, overwrite = false }: ScaffoldOptions,
  asked: Questions | undefined,
): Promise<void> {
  const made = await changesOf(folder, plan.files);
  const edited = await changesOf(folder, plan.edits);
  if (dryRun) {
    const shown = [...made.filter((change) => isNew(change) || overwrite), ...edited].filter(isChange);
    print(shown.length > 0 ? shown.map(unifiedDiff).join('\n') : 'Nothing would change.');
    for (const { path } of made.filter(isKept(overwrite)))
      print(`kept      ${path} (changed; --overwrite replaces it)`);
    return;
  }
  const changes: FileChange[] = [];
  const lines: string[] = [];
  for (const change of made) {
    const word = await decide(change, overwrite, asked);
    if (word !== 'kept' && word !== 'unchanged') changes.push(change);
    lines.push(`${word.padEnd(9)} ${change.path}${word === 'kept' ? ' (changed; --overwrite replaces it)' : ''}`);
  }
  for (const change of edited) lines.push(`${(isChange(change) ? 'extended' : 'unchanged').padEnd(9)} ${change.path}`);
  await writeFiles(folder, [...changes, ...edited]);
  print(lines.join('\n'));
}

function isNew({ before }: FileChange): boolean {
  return before === undefined;
}

function isKept(overwrite: boolean): (change: FileChange) => boolean {
  return (change) => !overwrite && !isNew(change) && isChange(change);
}

type Word = 'created' | 'replaced' | 'kept' | 'unchanged';

async function decide(change: FileChange, overwrite: boolean, asked: Questions | undefined): Promise<Word> {
  if (isNew(change)) return 'created';
  if (!isChange(change)) return 'unchanged';
  if (overwrite) return 'replaced';
  const yes = await asked?.confirm(`${change.path} has been changed. Replace it?`);
  return yes ? 'replaced' : 'kept';
}
