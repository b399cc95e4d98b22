/** One process at a time: `npm test` and `npm start` in two windows of a fresh clone must not both fill node_modules. */
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const ASK_AGAIN_MS = 500;

/**
 * Does the work while holding the lock file, which contains our process id. A lock whose process is gone is taken
 * over.
 *
 * @template T
 * @param {string} file
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function holdingLock(file, work) {
  let waiting = false;
  while (!take(file)) {
    const owner = ownerOf(file);
    if (owner === undefined || !isAlive(owner)) {
      rmSync(file, { force: true });
      continue;
    }
    if (!waiting) console.error(`Waiting for process ${owner}, which is installing packages here`);
    waiting = true;
    await delay(ASK_AGAIN_MS);
  }
  try {
    return await work();
  } finally {
    rmSync(file, { force: true });
  }
}

/**
 * Written first and linked then, so that nobody reads a lock without its owner.
 *
 * @param {string} file
 */
function take(file) {
  const written = `${file}.${process.pid}`;
  writeFileSync(written, String(process.pid));
  try {
    linkSync(written, file);
    return true;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(written, { force: true });
  }
}

/**
 * @param {string} file
 * @returns {number | undefined} undefined where the lock is gone, or is not one of ours
 */
function ownerOf(file) {
  try {
    return Number(readFileSync(file, 'utf8')) || undefined;
  } catch {
    return undefined;
  }
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Alive, but somebody else's.
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM';
  }
}
