/** What the system says of files, in words that help. */
import { ObjectStoreError, type ObjectStoreErrorCode } from '../error.ts';

const meanings: Readonly<Record<string, readonly [ObjectStoreErrorCode, string]>> = {
  ENOSPC: ['KUR_STORE_FULL', 'the volume is full: make room, or enlarge it'],
  EDQUOT: ['KUR_STORE_FULL', 'the quota of the volume is used up: make room, or raise it'],
  EFBIG: ['KUR_STORE_TOO_LARGE', 'the file system, or a limit of this process, allows no file of this size: raise it'],
  EACCES: [
    'KUR_STORE_FORBIDDEN',
    'this process may not do that: look at the owner and the mode of the files, or at `fsGroup`',
  ],
  EPERM: [
    'KUR_STORE_FORBIDDEN',
    'this process may not do that: look at the owner and the mode of the files, or at `fsGroup`',
  ],
  EROFS: ['KUR_STORE_FORBIDDEN', 'the volume is mounted read-only: mount it writable'],
  ELOOP: ['KUR_STORE_KEY', 'a symbolic link is in its place: remove it'],
  EEXIST: ['KUR_STORE_EXISTS', 'it exists already: choose another key, or leave it'],
  ENOTDIR: [
    'KUR_STORE_BAD_RESPONSE',
    'a file is where a folder should be, and was not put there by this package: remove it',
  ],
  EISDIR: [
    'KUR_STORE_BAD_RESPONSE',
    'a folder is where a file should be, and was not put there by this package: remove it',
  ],
  ENAMETOOLONG: ['KUR_STORE_KEY', 'the path is longer than the file system allows: shorten the key'],
};

/** The error for whoever called; what is no trouble with files stays as it is. */
export function explainFileTrouble(error: unknown, location: string, key: string | undefined): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (error instanceof ObjectStoreError || code === undefined || syscall === undefined) return error;
  const [storeCode, what] = meanings[code] ?? ['KUR_STORE_SERVER', 'the file system refuses it'];
  const where = key === undefined ? location : `${key} in ${location}`;
  return new ObjectStoreError(storeCode, `${where}: ${what}. (${code} in ${syscall})`, {
    key,
    reason: code,
    cause: error,
  });
}
