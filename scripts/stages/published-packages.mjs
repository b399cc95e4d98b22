import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * The folders of the packages that users install, relative to `root`: every workspace that is not private.
 *
 * @param {string} root
 * @returns {string[]}
 */
export function publishedPackages(root) {
  return globSync('packages/*/package.json', { cwd: root })
    .filter((file) => JSON.parse(readFileSync(join(root, file), 'utf8')).private !== true)
    .map((file) => dirname(file))
    .sort();
}
