/** Changes of files as people know them from `diff -u`. Pure. */
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff';
import type { FileChange } from './change.ts';

const CONTEXT = 3;

/** The unified diff of one file; empty where nothing changes. */
export function unifiedDiff({ path, before, after }: FileChange): string {
  if (before === after) return '';
  const [old, now] = [
    before === undefined ? '/dev/null' : `a/${path}`,
    after === undefined ? '/dev/null' : `b/${path}`,
  ];
  const options = { context: CONTEXT, headerOptions: FILE_HEADERS_ONLY };
  return createTwoFilesPatch(old, now, before ?? '', after ?? '', undefined, undefined, options).replace(/\n$/, '');
}
