/**
 * A large object on its way into the folder: a file that grows, and beside it what it will be. One with a token is claimed by
 * a lock as long as it is written, so that no two processes ever write into the same file. What has which name here is
 * changed under the folder's lock only.
 */
import { hash, randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { ObjectStoreError } from '../error.ts';
import type { CheckedPut } from '../internal/options.ts';
import type { Part } from '../internal/parts.ts';
import type { PendingUpload } from '../object-store.ts';
import { type Claim, claim, type FolderLock } from './folder-lock.ts';
import { type Layout, syncFolder } from './layout.ts';
import { writeAll } from './object-file.ts';

/** What a crash left of small objects is nobody's after this time. */
const TEMPORARY_AGE = 24 * 3600_000;

interface Opened {
  readonly layout: Layout;
  readonly lock: FolderLock;
}

interface Held {
  readonly id: string;
  readonly handle: FileHandle;
  readonly claimed: Claim | undefined;
}

/** An upload's file, open for writing. */
export class FolderUpload implements AsyncDisposable {
  readonly path: string;
  readonly #opened: Opened;
  readonly #held: Held;
  #at = 0;

  private constructor(opened: Opened, held: Held) {
    this.path = opened.layout.uploads(held.id);
    this.#opened = opened;
    this.#held = held;
  }

  /** Begins it, or takes up the one of the same token, unless somebody is at work on that. */
  static async open(opened: Opened, { key, token, writeId, signal }: CheckedPut): Promise<FolderUpload> {
    const { layout, lock } = opened;
    const note = layout.temporary(`${randomUUID()}.json`);
    try {
      await writeFile(note, JSON.stringify({ key, startedAt: new Date() }), { flush: true });
      const held = await lock.holding(signal, async () => {
        const claimed = token === undefined ? undefined : claim(layout.uploads(`${writeId}.lock`));
        return await hold(layout, claimed ? writeId : randomUUID(), note, claimed);
      });
      const upload = new FolderUpload(opened, held);
      await syncFolder(layout.uploads()).catch(async (error) => {
        await upload[Symbol.asyncDispose]();
        throw error;
      });
      return upload;
    } finally {
      await rm(note, { force: true });
    }
  }

  /** Whether a later put with the same token finds it. */
  get canContinue(): boolean {
    return this.#held.claimed !== undefined;
  }

  /** Adds a part, unless it is there already. */
  async add({ bytes, sha256 }: Part): Promise<void> {
    if (!(await this.#has(bytes.length, sha256))) await writeAll(this.#held.handle, bytes, this.#at);
    this.#at += bytes.length;
  }

  async #has(length: number, sha256: string): Promise<boolean> {
    const { handle } = this.#held;
    const { size } = await handle.stat();
    if (size < this.#at + length) return false;
    const present = Buffer.allocUnsafeSlow(length);
    const { bytesRead } = await handle.read(present, 0, length, this.#at);
    return bytesRead === length && hash('sha256', present, 'hex') === sha256;
  }

  /** Ends the file with `footer`, on the disk. */
  async finish(footer: Buffer): Promise<void> {
    const { handle } = this.#held;
    await writeAll(handle, footer, this.#at);
    await handle.truncate(this.#at + footer.length);
    await handle.sync();
  }

  /** Throws if what has its name is not what was written: it was aborted, and perhaps begun anew. For who holds the folder's lock. */
  async expectInPlace(key: string): Promise<void> {
    if ((await this.#whoseName()) === 'ours') return;
    throw new ObjectStoreError(
      'KUR_STORE_REFUSED',
      `${key}: the upload is gone, aborted by somebody else: put the object again.`,
      { key },
    );
  }

  async #whoseName(): Promise<'ours' | 'nobodys' | 'anothers'> {
    const present = await stat(this.path, { bigint: true }).catch(() => undefined);
    if (!present) return 'nobodys';
    const { ino, dev } = await this.#held.handle.stat({ bigint: true });
    return present.ino === ino && present.dev === dev ? 'ours' : 'anothers';
  }

  /** Forgets it, when it is in its place or given up. */
  async remove(): Promise<void> {
    const { layout, lock } = this.#opened;
    await lock.holding(undefined, async () => {
      if ((await this.#whoseName()) !== 'anothers') await removeUpload(layout, this.#held.id);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#held.handle.close();
    this.#held.claimed?.giveBack();
  }
}

async function hold(layout: Layout, id: string, note: string, claimed: Claim | undefined): Promise<Held> {
  try {
    const name = layout.uploads(`${id}.json`);
    const isThere = await stat(name).then(
      () => true,
      () => false,
    );
    // The note first, so that there is never a file that nobody can list.
    if (!isThere) await rename(note, name);
    return { id, claimed, handle: await open(layout.uploads(id), constants.O_RDWR | constants.O_CREAT, 0o640) };
  } catch (error) {
    claimed?.giveBack();
    throw error;
  }
}

/** Removes an upload's files; that there are none is as good. For who holds the folder's lock. */
export async function removeUpload(layout: Layout, id: string): Promise<void> {
  // The note last, so that what is left after a crash can be listed.
  for (const name of [id, `${id}.lock`, `${id}.json`]) await rm(layout.uploads(name), { force: true });
}

/** The uploads that are not finished, by their keys. */
export async function findUploads(layout: Layout, prefix: string): Promise<PendingUpload[]> {
  const found: PendingUpload[] = [];
  for (const name of await readdir(layout.uploads())) {
    if (!name.endsWith('.json')) continue;
    const note = await readFile(layout.uploads(name), 'utf8').catch(() => '');
    const { key, startedAt } = note === '' ? {} : JSON.parse(note);
    if (key?.startsWith(prefix))
      found.push({ key, id: name.slice(0, -'.json'.length), startedAt: new Date(startedAt) });
  }
  return found.sort((a, b) => (a.key < b.key ? -1 : 1));
}

/** Removes what crashes have left of small objects. */
export async function removeOldTemporaries(layout: Layout): Promise<void> {
  for (const name of await readdir(layout.temporary())) {
    const file = layout.temporary(name);
    const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }));
    if (Date.now() - mtimeMs > TEMPORARY_AGE) await rm(file, { force: true });
  }
}
