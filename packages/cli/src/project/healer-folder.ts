/** Where the healer's own project is: a package that the command depends on. */
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

export function healerFolder(): string {
  return dirname(fileURLToPath(import.meta.resolve('@kurator/operator-kurator/package.json')));
}
