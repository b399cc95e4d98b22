/**
 * One writer at a time decides, of all processes that share the folder. The lock is the kernel's, on a file, and ends with
 * whoever holds it however he ends. Node can lock files only through SQLite, so this is an empty database in which
 * nothing is ever written.
 */
import { DatabaseSync } from 'node:sqlite';
import { ObjectStoreError } from '../error.ts';
import { pause, unlessAborted } from '../internal/waiting.ts';

const SQLITE_BUSY = 5;
/** It is held for a look and a rename: who waits longer waits for somebody who hangs. */
const WAIT_LIMIT = 30_000;
const MOST_BETWEEN_TRIES = 25;

/** A lock that is held until it is given back, or until this process ends. */
export interface Claim {
  giveBack(): void;
}

/** Takes the lock of this file, unless somebody has it. The file must not be removed by anybody in the same moment. */
export function claim(file: string): Claim | undefined {
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    database.exec('BEGIN EXCLUSIVE');
    return { giveBack: () => database.close() };
  } catch (error) {
    database.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
}

function isBusy(error: unknown): boolean {
  return (error as { errcode?: number }).errcode === SQLITE_BUSY;
}

/** The lock of one folder. */
export class FolderLock {
  readonly #file: string;
  #database: DatabaseSync | undefined;
  /** Ends when nobody of this process holds or awaits it any more. */
  #last: Promise<void> = Promise.resolve();

  constructor(file: string) {
    this.#file = file;
  }

  /** Runs `work` while nobody else runs theirs. */
  async holding<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    const before = this.#last;
    const mine = Promise.withResolvers<void>();
    this.#last = before.then(() => mine.promise);
    try {
      await unlessAborted(before, signal);
      const database = await this.#acquire(signal);
      try {
        return await work();
      } finally {
        database.exec('ROLLBACK');
      }
    } finally {
      mine.resolve();
    }
  }

  async #acquire(signal: AbortSignal | undefined): Promise<DatabaseSync> {
    this.#database ??= new DatabaseSync(this.#file, { timeout: 0 });
    const deadline = performance.now() + WAIT_LIMIT;
    for (;;) {
      try {
        this.#database.exec('BEGIN EXCLUSIVE');
        return this.#database;
      } catch (error) {
        if (!isBusy(error)) throw error;
        if (performance.now() > deadline) throw this.#held(error);
      }
      await pause(1 + Math.random() * MOST_BETWEEN_TRIES, signal);
    }
  }

  #held(cause: unknown): ObjectStoreError {
    return new ObjectStoreError(
      'KUR_STORE_TIMEOUT',
      `Another process has held ${this.#file} for ${WAIT_LIMIT} ms: it hangs, or its volume does. End it (\`lsof\` names it).`,
      { cause },
    );
  }

  close(): void {
    this.#database?.close();
    this.#database = undefined;
  }
}
