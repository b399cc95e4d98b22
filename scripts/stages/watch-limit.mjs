/**
 * How many inotify instances a user may have. Many kernels allow 128; the programs of a control plane take eleven of
 * them and those of a node eight, so that three lanes of end-to-end tests come close, and a kubelet that gets none ends.
 */
import { readFileSync, writeFileSync } from 'node:fs';

/** Two clusters of three nodes, which is more than most tests have at a time. */
const OF_A_LANE = 70;
/** For whatever else runs on the machine. */
const OF_OTHERS = 64;

/**
 * Does the work with room for so many lanes, and puts the limit back, which is the whole machine's. Where it can't be
 * raised the work is done all the same.
 *
 * @template T
 * @param {number} lanes
 * @param {() => Promise<T>} work
 * @param {string} [file]
 * @returns {Promise<T>}
 */
export async function withWatchesFor(lanes, work, file = '/proc/sys/fs/inotify/max_user_instances') {
  const needed = lanes * OF_A_LANE + OF_OTHERS;
  const before = limitIn(file);
  if (before === undefined || before >= needed || !isWritten(file, needed)) return await work();
  try {
    return await work();
  } finally {
    // Somebody else may have raised it meanwhile.
    if (limitIn(file) === needed) isWritten(file, before);
  }
}

/** @param {string} file */
function limitIn(file) {
  try {
    return Number(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/** @param {string} file @param {number} limit */
function isWritten(file, limit) {
  try {
    writeFileSync(file, `${limit}\n`);
    return true;
  } catch {
    return false;
  }
}
