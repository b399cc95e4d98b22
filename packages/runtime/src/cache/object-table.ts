/**
 * The state behind a cache: objects as bytes, indexes over them, and the changes that each new fact amounts to. Knows
 * nothing of the network: facts come in, changes go out.
 */
import { compareResourceVersions, type KubernetesObject, type ObjectReference } from '@kurator/client';
import { keyFor, keyOf, type ObjectKey } from '../object-key.ts';
import { ByteStore } from './byte-store.ts';
import type { CacheChange, CacheQuery } from './object-cache.ts';
import { RawObject } from './raw-object.ts';

/** The values under which an index lists an object. */
export type IndexFunction<T extends KubernetesObject> = (object: T) => readonly string[];

/** The same, as the table asks for it. One that needs only metadata spares the rest from being parsed. */
export type TableIndex<T extends KubernetesObject> = (object: RawObject<T>) => readonly string[];

/** Hears of an index that failed for an object, which then is not found by it. */
export type IndexFailure = (index: string, key: ObjectKey, error: unknown) => void;

interface Record {
  version: string | undefined;
  /** `index\0value` of every index entry. */
  entries: readonly string[];
}

const NO_ENTRIES: readonly string[] = [];

/** How many deletions are remembered, so that a late answer to a write doesn't bring a deleted object back. */
const TOMBSTONES = 1024;

export class ObjectTable<T extends KubernetesObject> {
  readonly #bytes = new ByteStore();
  readonly #records = new Map<ObjectKey, Record>();
  readonly #index = new Map<string, Set<ObjectKey>>();
  readonly #indexes: ReadonlyMap<string, TableIndex<T>>;
  readonly #tombstones = new Map<ObjectKey, string>();
  readonly #onIndexFailure: IndexFailure;

  constructor(indexes: ReadonlyMap<string, TableIndex<T>> = new Map(), onIndexFailure: IndexFailure = () => {}) {
    this.#indexes = indexes;
    this.#onIndexFailure = onIndexFailure;
  }

  get size(): number {
    return this.#records.size;
  }

  get heldBytes(): number {
    return this.#bytes.heldBytes;
  }

  keys(): IterableIterator<ObjectKey> {
    return this.#records.keys();
  }

  get(reference: ObjectReference): T | undefined {
    return this.#read(keyFor(reference));
  }

  list({ namespace, labels }: CacheQuery = {}): T[] {
    const found: T[] = [];
    const inLabels = Object.entries(labels ?? {}).map(pairIn);
    for (const key of this.#records.keys()) {
      if (namespace !== undefined && !key.startsWith(`${namespace}/`)) continue;
      // Most objects need not be parsed to see that they lack a label.
      if (inLabels.length > 0 && !mayHave(this.#bytes.get(key) as Buffer, inLabels)) continue;
      const object = this.#read(key) as T;
      if (!labels || hasLabels(object, labels)) found.push(object);
    }
    return found;
  }

  byIndex(index: string, value: string, skip?: (key: ObjectKey) => boolean): T[] {
    const found: T[] = [];
    for (const key of this.#index.get(entryOf(index, value)) ?? []) {
      if (!skip?.(key)) found.push(this.#read(key) as T);
    }
    return found;
  }

  has(key: ObjectKey): boolean {
    return this.#records.has(key);
  }

  /** Everything there is, said as if it had just come: for a listener that joins late. */
  *additions(): Generator<CacheChange<T>> {
    for (const key of [...this.#records.keys()]) {
      const text = this.#bytes.text(key);
      if (text !== undefined) yield new Change<T>('added', key, text, undefined, true);
    }
  }

  /** Takes in a version of an object. Undefined if it is nothing new. */
  put(object: RawObject<T>, initial = false): CacheChange<T> | undefined {
    const key = keyOf(object);
    const version = object.metadata.resourceVersion;
    const known = this.#records.get(key);
    if (known && (known.version === version || isOlder(version, known.version))) return undefined;
    const before = known && this.#bytes.text(key);
    this.#bytes.set(key, ...object.parts());
    this.#tombstones.delete(key);
    this.#reindex(key, known, { version, entries: this.#entriesOf(key, object) });
    return new Change(known ? 'updated' : 'added', key, object, before, initial);
  }

  /** Takes in the answer to a write of our own; one that is older than a deletion we know of is ignored. */
  putWritten(object: T): CacheChange<T> | undefined {
    const key = keyOf(object);
    const deleted = this.#tombstones.get(key);
    if (deleted !== undefined && !isOlder(deleted, object.metadata.resourceVersion)) return undefined;
    return this.put(RawObject.fromObject(object));
  }

  /** Takes in that an object is gone. `version` is that of the deletion, where it is known. */
  remove(key: ObjectKey, version?: string): CacheChange<T> | undefined {
    if (version) this.#bury(key, version);
    const known = this.#records.get(key);
    // Deleted and made again since: the deletion is old news.
    if (!known || isOlder(version, known.version)) return undefined;
    const before = this.#bytes.text(key) as string;
    this.#bytes.delete(key);
    this.#reindex(key, known, undefined);
    return new Change<T>('deleted', key, before, before, false);
  }

  #read(key: ObjectKey): T | undefined {
    const text = this.#bytes.text(key);
    return text === undefined ? undefined : (JSON.parse(text) as T);
  }

  /** An index that fails costs what it would have found, and nothing else: the cache must stay true. */
  #entriesOf(key: ObjectKey, object: RawObject<T>): readonly string[] {
    const entries: string[] = [];
    for (const [name, valuesOf] of this.#indexes) {
      try {
        for (const value of valuesOf(object)) entries.push(entryOf(name, value));
      } catch (error) {
        this.#onIndexFailure(name, key, error);
      }
    }
    return entries.length > 0 ? entries : NO_ENTRIES;
  }

  #reindex(key: ObjectKey, before: Record | undefined, after: Record | undefined): void {
    if (after) this.#records.set(key, after);
    else this.#records.delete(key);
    for (const entry of before?.entries ?? []) {
      const keys = this.#index.get(entry);
      keys?.delete(key);
      if (keys?.size === 0) this.#index.delete(entry);
    }
    for (const entry of after?.entries ?? []) {
      const keys = this.#index.get(entry);
      if (keys) keys.add(key);
      else this.#index.set(entry, new Set([key]));
    }
  }

  #bury(key: ObjectKey, version: string): void {
    this.#tombstones.delete(key);
    this.#tombstones.set(key, version);
    if (this.#tombstones.size <= TOMBSTONES) return;
    const [oldest] = this.#tombstones.keys();
    this.#tombstones.delete(oldest as ObjectKey);
  }
}

/** Parses what it is asked for, once. */
class Change<T extends KubernetesObject> implements CacheChange<T> {
  readonly type: CacheChange<T>['type'];
  readonly key: ObjectKey;
  readonly initial: boolean;
  #object: RawObject<T> | T | string;
  #previous: T | string | undefined;

  constructor(
    type: CacheChange<T>['type'],
    key: ObjectKey,
    object: RawObject<T> | string,
    previous: string | undefined,
    initial: boolean,
  ) {
    this.type = type;
    this.key = key;
    this.initial = initial;
    this.#object = object;
    this.#previous = previous;
  }

  object(): T {
    if (this.#object instanceof RawObject) this.#object = this.#object.object();
    if (typeof this.#object === 'string') this.#object = JSON.parse(this.#object) as T;
    return this.#object;
  }

  previous(): T | undefined {
    if (typeof this.#previous === 'string') this.#previous = JSON.parse(this.#previous) as T;
    return this.#previous;
  }
}

function entryOf(index: string, value: string): string {
  return `${index}\0${value}`;
}

function hasLabels(object: KubernetesObject, labels: Readonly<globalThis.Record<string, string>>): boolean {
  const own = object.metadata.labels ?? {};
  return Object.entries(labels).every(([name, value]) => own[name] === value);
}

const ESCAPED_SLASH = Buffer.from('\\/');

/** A label as it stands in JSON. */
function pairIn([name, value]: [string, string]): Buffer {
  return Buffer.from(`${JSON.stringify(name)}:${JSON.stringify(value)}`);
}

/** False only if the object has not all of these labels: there is one way to write what a label may hold, but for slashes. */
function mayHave(json: Buffer, pairs: readonly Buffer[]): boolean {
  return pairs.every((pair) => json.includes(pair)) || json.includes(ESCAPED_SLASH);
}

/** Whether one version of an object is known to be older than another; where that can't be said, the later arrival counts. */
function isOlder(version: string | undefined, than: string | undefined): boolean {
  return version !== undefined && than !== undefined && (compareResourceVersions(version, than) ?? 0) < 0;
}
