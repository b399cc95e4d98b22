import { expect, it } from 'vitest';
import { explainFileTrouble } from './file-trouble.ts';

function trouble(code: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: something, rename 'a' -> 'b'`), { code, syscall: 'rename' });
}

it.each([
  ['ENOSPC', 'KUR_STORE_FULL', 'make room'],
  ['EDQUOT', 'KUR_STORE_FULL', 'quota'],
  ['EACCES', 'KUR_STORE_FORBIDDEN', 'fsGroup'],
  ['EROFS', 'KUR_STORE_FORBIDDEN', 'read-only'],
  ['EIO', 'KUR_STORE_SERVER', 'EIO in rename'],
])('%s is %s, with what helps', (code, storeCode, words) => {
  const cause = trouble(code);
  const error = explainFileTrouble(cause, 'folder /backups', 'wal/1');
  expect(error).toMatchObject({ code: storeCode, key: 'wal/1', reason: code, cause });
  expect(String(error)).toContain('wal/1 in folder /backups');
  expect(String(error)).toContain(words);
});

it('what is no trouble with files stays as it is', () => {
  const abort = new DOMException('enough', 'AbortError');
  expect(explainFileTrouble(abort, 'folder /backups', 'wal/1')).toBe(abort);
});
