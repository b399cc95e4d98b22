/** Where the healer's own project is: a package that this one depends on. */
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder with its package.json. */
export function healerFolder(): string {
  return dirname(fileURLToPath(import.meta.resolve('@kurator/operator-kurator/package.json')));
}
