/**
 * Brings the packages that package-lock.json names, when node_modules is missing or is not what it names.
 *
 * Not by `npm ci`: that refuses a lock file without the binaries of platforms that the registry it was written
 * against does not carry. `npm install --no-save` is content, and the check after it makes it as strict.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { SetupError } from './error.mjs';
import { holdingLock } from './lock.mjs';
import { runNpm } from './npm.mjs';
import { elapsed, withProgress } from './progress.mjs';

/**
 * @typedef {{ version?: string, integrity?: string, link?: boolean, optional?: boolean }} LockedPackage
 * @typedef {Record<string, LockedPackage>} LockedPackages by path, as `node_modules/vitest`; the root is ``
 */

/**
 * Whether what is installed is what the lock file wants. npm writes what it installed into node_modules when it is
 * done, so this also sees an interrupted installation, and leaves alone what a developer's own `npm install` made.
 *
 * @param {LockedPackages} wanted
 * @param {LockedPackages | undefined} installed
 */
export function installedIsWanted(wanted, installed) {
  if (!installed) return false;
  const paths = new Set([...Object.keys(wanted), ...Object.keys(installed)]);
  return [...paths].every((path) => path === '' || agree(wanted[path], installed[path]));
}

/**
 * @param {LockedPackage | undefined} want
 * @param {LockedPackage | undefined} have
 */
function agree(want, have) {
  // A platform's binaries: another's are in the lock file, and ours may be missing there.
  if (!want || !have) return (want ?? have)?.optional === true;
  return want.version === have.version && want.integrity === have.integrity && want.link === have.link;
}

/**
 * @param {string} root
 * @param {string} node the Node to run npm on
 */
export async function bringPackages(root, node) {
  const wanted = readPackages(join(root, 'package-lock.json'));
  if (!wanted) throw new SetupError('package-lock.json is missing or broken.', 'Run `git checkout package-lock.json`.');
  const installed = () => readPackages(join(root, 'node_modules', '.package-lock.json'));
  if (installedIsWanted(wanted, installed())) return;

  await holdingLock(join(root, '.npm-install.lock'), async () => {
    if (installedIsWanted(wanted, installed())) return;
    if (!installed()) removeLeftovers(root, wanted);
    await install(root, node, wanted);
    if (installedIsWanted(wanted, installed())) return;
    throw new SetupError(
      'package.json and package-lock.json do not belong together.',
      'Run `npm install`, and commit package-lock.json.',
    );
  });
}

/**
 * What an interrupted npm left can look whole and be empty.
 *
 * @param {string} root
 * @param {LockedPackages} wanted
 */
function removeLeftovers(root, wanted) {
  const workspaces = Object.keys(wanted).filter((path) => !path.includes('node_modules'));
  for (const workspace of ['', ...workspaces]) {
    rmSync(join(root, workspace, 'node_modules'), { recursive: true, force: true });
  }
}

/**
 * @param {string} root
 * @param {string} node
 * @param {LockedPackages} wanted
 */
async function install(root, node, wanted) {
  const paths = Object.keys(wanted).filter((path) => path.includes('node_modules/') && !wanted[path]?.optional);
  const start = performance.now();
  console.error(`Installing ${paths.length} packages into node_modules`);
  await withProgress(
    'Installing packages',
    () => runNpm(['install', '--no-save', '--include=dev'], { cwd: root, node }),
    {
      detail: () => `${countThere(root, paths)} of ${paths.length}`,
    },
  );
  console.error(`The packages are there after ${elapsed(performance.now() - start)}`);
}

/**
 * @param {string} root
 * @param {string[]} paths
 */
function countThere(root, paths) {
  return paths.filter((path) => existsSync(join(root, path, 'package.json'))).length;
}

/**
 * @param {string} file
 * @returns {LockedPackages | undefined}
 */
function readPackages(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages;
  } catch {
    return undefined;
  }
}
