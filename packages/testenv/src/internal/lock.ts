/**
 * One maker at a time for a cache entry, also between processes that know nothing of each other.
 *
 * A lock is a folder, and whoever wants it puts a file of its own into it and then looks: alone, it holds the lock;
 * with others, it withdraws and tries again. Of two that come together the later one always sees the earlier one, so
 * there are never two holders. A dead process's file can be removed by anyone at any time, because no living process
 * has one of that name: breaking a lock needs no lock.
 */
import { mkdir, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive, type Owner, ownerToken, parseOwner } from '../process/owner.ts';

/** How a lock is asked for. */
export interface LockOptions {
  signal?: AbortSignal | undefined;
  /** Called each time another holder is found in the way, with how long the wait has lasted. */
  onWait?: (holder: Owner, milliseconds: number) => void;
}

const HEARTBEAT = 5_000;
/** A holder on another machine that has not given a sign for this long is taken for dead. */
const SILENCE = 60_000;
const LONGEST_PAUSE = 500;

/** Runs `work` while this process is the only one that holds the lock of this name. */
export async function withLock<T>(folder: string, work: () => Promise<T>, options: LockOptions = {}): Promise<T> {
  const mine = await acquire(folder, options);
  const heartbeat = setInterval(() => {
    const now = new Date();
    utimes(mine, now, now).catch(() => {});
  }, HEARTBEAT);
  heartbeat.unref();
  try {
    return await work();
  } finally {
    clearInterval(heartbeat);
    await rm(mine, { force: true });
  }
}

async function acquire(folder: string, { signal, onWait }: LockOptions): Promise<string> {
  const name = ownerToken();
  const started = Date.now();
  for (let pause = 20; ; pause = Math.min(pause * 2, LONGEST_PAUSE)) {
    signal?.throwIfAborted();
    await mkdir(folder, { recursive: true });
    let holder = await otherHolder(folder, name);
    if (!holder) {
      const mine = join(folder, name);
      await writeFile(mine, '', { flag: 'wx' });
      holder = await otherHolder(folder, name);
      if (!holder) return mine;
      await rm(mine, { force: true });
    }
    onWait?.(holder, Date.now() - started);
    // The only way a sleep fails is that it was aborted, which the next round says in the signal's own words.
    await sleep(pause * (0.5 + Math.random()), undefined, signal ? { signal } : {}).catch(() => {});
  }
}

async function otherHolder(folder: string, mine: string): Promise<Owner | undefined> {
  for (const name of await readdir(folder)) {
    const owner = name === mine ? undefined : parseOwner(name);
    if (!owner) continue;
    if (await holds(join(folder, name), owner)) return owner;
    await rm(join(folder, name), { force: true });
  }
  return undefined;
}

async function holds(file: string, owner: Owner): Promise<boolean> {
  const alive = isAlive(owner);
  if (alive !== undefined) return alive;
  const seen = await stat(file).catch(() => undefined);
  return seen !== undefined && Date.now() - seen.mtimeMs < SILENCE;
}
