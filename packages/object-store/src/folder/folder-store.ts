/** Objects in a folder of a volume: as durable as its disk, and with the same promises as those in S3. */
import { randomUUID } from 'node:crypto';
import { link, open, rename, rm } from 'node:fs/promises';
import { ObjectStoreError } from '../error.ts';
import { ContentCheck } from '../internal/content-check.ts';
import { checkKey, checkPrefix } from '../internal/key.ts';
import { type CheckedPut, checkGet, checkPut, pageSizeOf, signalOf } from '../internal/options.ts';
import { type Part, Parts } from '../internal/parts.ts';
import { conditionFails, expectDigest, isFinal } from '../internal/put-refusals.ts';
import { storedObject } from '../internal/stored-object.ts';
import type {
  Body,
  CallOptions,
  GetOptions,
  ListOptions,
  ListPage,
  ObjectInfo,
  ObjectStore,
  PendingUpload,
  PutOptions,
  StoredObject,
} from '../object-store.ts';
import { explainFileTrouble } from './file-trouble.ts';
import { FolderLock } from './folder-lock.ts';
import { FolderUpload, findUploads, removeOldTemporaries, removeUpload } from './folder-upload.ts';
import { Layout, syncFolder } from './layout.ts';
import { footerOf, type Known, type OpenObject, openObject, readBytes, writeAll } from './object-file.ts';
import { walk } from './walking.ts';

/** Which folder. */
export interface FolderOptions {
  /** Must be there, on a file system of this machine or one that locks files over the network (NFS 4). */
  readonly folder: string;
}

/** A store in a folder. Any number of processes can use the same one. */
export function createFolderStore({ folder }: FolderOptions): ObjectStore {
  return new FolderStore(folder);
}

interface Opened {
  readonly layout: Layout;
  readonly lock: FolderLock;
}

class FolderStore implements ObjectStore {
  readonly location: string;
  readonly #folder: string;
  #opened: Promise<Opened> | undefined;

  constructor(folder: string) {
    this.#folder = folder;
    this.location = `folder ${folder}`;
  }

  async put(key: string, body: Body, options: PutOptions = {}): Promise<ObjectInfo> {
    const put = checkPut(key, options);
    return await this.#explained(key, async (opened) => {
      const path = opened.layout.object(key);
      const parts = new Parts(body, put.partSize);
      try {
        const first = await parts.next(put.signal);
        if (!first) throw new Error('a body has at least one part');
        const target = { ...opened, path, put };
        return first.isLast ? await this.#putSmall(target, first) : await this.#putLarge(target, first, parts);
      } finally {
        parts.close();
      }
    });
  }

  async #putSmall(target: Target, { bytes, sha256 }: Part): Promise<ObjectInfo> {
    const known = knownOf(target.put, bytes.length, sha256);
    const temporary = target.layout.temporary(randomUUID());
    try {
      await using handle = await open(temporary, 'wx', 0o640);
      await writeAll(handle, bytes, 0);
      await writeAll(handle, footerOf(known), bytes.length);
      await handle.sync();
      return await this.#publish(target, temporary, known);
    } finally {
      await rm(temporary, { force: true });
    }
  }

  async #putLarge(target: Target, first: Part, parts: Parts): Promise<ObjectInfo> {
    const { put } = target;
    const finished = await this.#judge(target);
    if (finished) return finished;
    const upload = await FolderUpload.open(target, put);
    await using _ = upload;
    try {
      for (let part: Part | undefined = first; part; part = await parts.next(put.signal)) {
        put.signal?.throwIfAborted();
        await upload.add(part);
      }
      const known = knownOf(put, parts.size, parts.sha256 ?? '');
      await upload.finish(footerOf(known));
      const info = await this.#publish(target, upload.path, known, () => upload.expectInPlace(put.key));
      await upload.remove();
      return info;
    } catch (error) {
      if (!upload.canContinue || isFinal(error)) await upload.remove();
      throw error;
    }
  }

  /** Whether the condition holds: our own object if it is there already, an error if not. */
  async #judge({ path, put, layout }: Target): Promise<ObjectInfo | undefined> {
    const { key, ifAbsent, ifMatch, token, writeId } = put;
    const isInside = await layout.expectInside(path, key);
    if (!ifAbsent && ifMatch === undefined && token === undefined) return undefined;
    const present = isInside ? await this.#look(path, key) : undefined;
    if (present && token !== undefined && present.write === writeId) return present.info;
    const isRefused = ifAbsent ? present !== undefined : ifMatch !== undefined && present?.info.etag !== ifMatch;
    if (isRefused) throw conditionFails(put, this.location);
    return undefined;
  }

  async #look(path: string, key: string): Promise<Omit<OpenObject, 'handle'> | undefined> {
    const present = await openObject(path, key);
    await present?.handle.close();
    return present;
  }

  /** Gives the finished file its name, if the condition holds at that moment. */
  async #publish(
    target: Target,
    from: string,
    known: Known,
    expectInPlace: () => Promise<void> = async () => undefined,
  ): Promise<ObjectInfo> {
    const { layout, lock, path, put } = target;
    const { own, changed } = await lock.holding(put.signal, async () => {
      const own = await this.#judge(target);
      if (own) return { own, changed: [] };
      await expectInPlace();
      const changed = await layout.makeFolders(path);
      await layout.expectInside(path, put.key);
      await (put.ifAbsent ? create(from, path) : rename(from, path));
      return { own, changed };
    });
    if (own) return own;
    for (const folder of changed) await syncFolder(folder).catch(unlessGone);
    const { key, size, sha256, metadata } = known;
    return { key, size, etag: sha256, lastModified: new Date(), sha256, metadata };
  }

  async get(key: string, options: GetOptions = {}): Promise<StoredObject> {
    checkGet(key, options);
    const { start = 0, end, ifMatch } = options;
    const signal = signalOf(options);
    const isWhole = start === 0 && end === undefined;
    const { info, handle } = await this.#open(key);
    try {
      if (ifMatch !== undefined && info.etag !== ifMatch)
        throw new ObjectStoreError(
          'KUR_STORE_CHANGED',
          `${key} in ${this.location} is not the object that \`ifMatch\` names.`,
          { key },
        );
      if (!isWhole && start >= info.size)
        throw new ObjectStoreError(
          'KUR_STORE_OPTION',
          `${key} in ${this.location}: start is after the end of the object.`,
          { key },
        );
    } catch (error) {
      await handle.close();
      throw error;
    }
    const last = Math.min(end ?? info.size - 1, info.size - 1);
    const check = new ContentCheck(isWhole ? { sha256: options.sha256 ?? info.etag } : undefined);
    const where = `${key} in ${this.location}`;
    const content = async function* () {
      for await (const block of readBytes(handle, start, last, signal)) {
        check.update(block);
        yield block;
      }
      check.finish(where, key);
    };
    return storedObject(info, last - start + 1, content(), () => void handle.close().catch(() => undefined));
  }

  async head(key: string, options: CallOptions = {}): Promise<ObjectInfo> {
    checkKey(key);
    signalOf(options)?.throwIfAborted();
    const { info, handle } = await this.#open(key);
    await handle.close();
    return info;
  }

  async #open(key: string): Promise<OpenObject> {
    return await this.#explained(key, async ({ layout }) => {
      const path = layout.object(key);
      const found = (await layout.expectInside(path, key)) ? await openObject(path, key) : undefined;
      if (found) return found;
      throw new ObjectStoreError('KUR_STORE_NOT_FOUND', `${key} in ${this.location}: there is no such object.`, {
        key,
      });
    });
  }

  async *list(prefix: string, options: ListOptions = {}): AsyncGenerator<ListPage> {
    checkPrefix(prefix);
    const pageSize = pageSizeOf(options);
    const signal = signalOf(options);
    const { layout } = await this.#explained(undefined, async (opened) => opened);
    const isGrouped = options.delimiter !== undefined;
    const plan = { root: layout.root, prefix, startAfter: options.startAfter ?? '', isGrouped, signal };
    let objects: ObjectInfo[] = [];
    let prefixes: string[] = [];
    for await (const key of walk(plan)) {
      if (key.endsWith('/')) prefixes.push(key);
      else {
        const found = await this.#explained(key, async () => await this.#look(layout.object(key), key));
        // Removed since it was seen.
        if (found) objects.push(found.info);
      }
      if (objects.length + prefixes.length < pageSize) continue;
      yield { objects, prefixes };
      objects = [];
      prefixes = [];
    }
    if (objects.length + prefixes.length > 0) yield { objects, prefixes };
  }

  async delete(key: string, options: CallOptions = {}): Promise<void> {
    checkKey(key);
    const signal = signalOf(options);
    await this.#explained(key, async ({ layout, lock }) => {
      const path = layout.object(key);
      const changed = await lock.holding(signal, async () => {
        if (!(await layout.expectInside(path, key)) || !(await removeFile(path))) return undefined;
        return await layout.removeEmptyFolders(path);
      });
      if (changed !== undefined) await syncFolder(changed).catch(unlessGone);
    });
  }

  async deleteMany(keys: Iterable<string> | AsyncIterable<string>, options: CallOptions = {}): Promise<void> {
    const signal = signalOf(options);
    const failures: unknown[] = [];
    for await (const key of keys) {
      signal?.throwIfAborted();
      checkKey(key);
      await this.delete(key, { signal }).catch((error) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  }

  async *listUploads(prefix: string, options: CallOptions = {}): AsyncGenerator<PendingUpload> {
    checkPrefix(prefix);
    signalOf(options)?.throwIfAborted();
    yield* await this.#explained(undefined, async ({ layout }) => {
      await removeOldTemporaries(layout);
      return await findUploads(layout, prefix);
    });
  }

  async abortUpload({ key, id }: PendingUpload, options: CallOptions = {}): Promise<void> {
    checkKey(key);
    const signal = signalOf(options);
    signal?.throwIfAborted();
    if (!/^[0-9a-f-]{36,64}$/.test(id))
      throw new ObjectStoreError('KUR_STORE_OPTION', `${id} is not the id of an upload.`, { key });
    await this.#explained(
      key,
      async ({ layout, lock }) => await lock.holding(signal, async () => await removeUpload(layout, id)),
    );
  }

  async #explained<T>(key: string | undefined, work: (opened: Opened) => Promise<T>): Promise<T> {
    try {
      return await work(await this.#ready());
    } catch (error) {
      throw explainFileTrouble(error, this.location, key);
    }
  }

  async #ready(): Promise<Opened> {
    this.#opened ??= Layout.open(this.#folder).then((layout) => ({ layout, lock: new FolderLock(layout.lock) }));
    try {
      return await this.#opened;
    } catch (error) {
      // The volume may be mounted later.
      this.#opened = undefined;
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const opened = await this.#opened?.catch(() => undefined);
    opened?.lock.close();
    this.#opened = undefined;
  }
}

interface Target extends Opened {
  readonly path: string;
  readonly put: CheckedPut;
}

function knownOf(put: CheckedPut, size: number, sha256: string): Known {
  expectDigest(put, sha256);
  return { key: put.key, size, sha256, write: put.writeId, metadata: put.metadata };
}

/** Says whether there was one. */
async function removeFile(path: string): Promise<boolean> {
  const removed = await rm(path).catch(unlessGone);
  return removed !== 'gone';
}

/** Whoever removes the last object of a folder removes the folder, too, also one that was made a moment ago. */
function unlessGone(error: NodeJS.ErrnoException): 'gone' {
  if (error.code === 'ENOENT') return 'gone';
  throw error;
}

/** Only if there is none: true of a link also where locks are not kept. Some file systems have no links; then the lock must do. */
async function create(from: string, path: string): Promise<void> {
  try {
    await link(from, path);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(code)) throw error;
    await rename(from, path);
  }
}
