/** A large object on its way into the folder: a file that grows, and beside it what it will be. */
import { hash, randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import type { Part } from '../internal/parts.ts';
import type { PendingUpload } from '../object-store.ts';
import { type Layout, syncFolder } from './layout.ts';
import { writeAll } from './object-file.ts';

/** What a crash left of small objects is nobody's after this time. */
const TEMPORARY_AGE = 24 * 3600_000;

/** An upload's file, open for writing. */
export class FolderUpload implements AsyncDisposable {
  readonly path: string;
  readonly #layout: Layout;
  readonly #id: string;
  readonly #handle: FileHandle;
  #at = 0;

  private constructor(layout: Layout, id: string, handle: FileHandle) {
    this.path = layout.uploads(id);
    this.#layout = layout;
    this.#id = id;
    this.#handle = handle;
  }

  /** Begins it, or takes up the one of the same id. */
  static async open(layout: Layout, id: string, key: string): Promise<FolderUpload> {
    const note = layout.uploads(`${id}.json`);
    // The note first, so that there is never a file that nobody can list.
    const isNew = await stat(note).then(
      () => false,
      () => true,
    );
    if (isNew) {
      const making = layout.temporary(`${randomUUID()}.json`);
      await writeFile(making, JSON.stringify({ key, startedAt: new Date() }), { flush: true });
      await rename(making, note);
      await syncFolder(layout.uploads());
    }
    return new FolderUpload(layout, id, await open(layout.uploads(id), constants.O_RDWR | constants.O_CREAT, 0o640));
  }

  /** Adds a part, unless it is there already. */
  async add({ bytes, sha256 }: Part): Promise<void> {
    if (!(await this.#has(bytes.length, sha256))) await writeAll(this.#handle, bytes, this.#at);
    this.#at += bytes.length;
  }

  async #has(length: number, sha256: string): Promise<boolean> {
    const { size } = await this.#handle.stat();
    if (size < this.#at + length) return false;
    const present = Buffer.allocUnsafeSlow(length);
    const { bytesRead } = await this.#handle.read(present, 0, length, this.#at);
    return bytesRead === length && hash('sha256', present, 'hex') === sha256;
  }

  /**
   * Ends the file with `footer`, on the disk. Nothing in it is ever made shorter than that: another process with the same
   * token, which writes the same bytes, may have put it in its place already.
   */
  async finish(footer: Buffer): Promise<void> {
    await writeAll(this.#handle, footer, this.#at);
    await this.#handle.truncate(this.#at + footer.length);
    await this.#handle.sync();
  }

  /** Forgets it, when it is in its place or given up. */
  async remove(): Promise<void> {
    await removeUpload(this.#layout, this.#id);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handle.close();
  }
}

/** Removes an upload's files; that there are none is as good. */
export async function removeUpload(layout: Layout, id: string): Promise<void> {
  // The note last, so that what is left after a crash can be listed.
  for (const file of [layout.uploads(id), layout.uploads(`${id}.json`)]) await rm(file, { force: true });
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
