/** What a file system refuses, in words: who reads it should know what to mend. */
import { CliError } from '@kurator/command';

const remedies: Readonly<Record<string, string>> = {
  ENOSPC: 'make room on the disk',
  EDQUOT: 'make room: your quota is used up',
  EACCES: 'you may not write there: choose another folder, or change its permissions',
  EPERM: 'you may not write there: choose another folder, or change its permissions',
  EROFS: 'the disk is read-only: choose another folder',
  ENOTDIR: 'a part of the path is a file: choose another folder',
  EEXIST: 'a part of the path is a file: choose another folder',
  EISDIR: 'there is a folder of this name: move it away',
};

/** Errors of other origin stay what they are. */
export function writeError(path: string, error: unknown): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  const remedy = remedies[code ?? ''];
  if (!remedy) return error;
  return new CliError('KUR_CLI_WRITE', `${path}: ${message}`, { remedy, cause: error });
}
