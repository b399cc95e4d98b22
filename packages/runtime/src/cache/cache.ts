/** A cache of one kind, and the caches of a whole process: one reflector a kind, shared by everyone who asks. */
import type { Client, KubernetesObject, ResourceType } from '@kurator/client';
import { messageOf, RuntimeError } from '../error.ts';
import { keyOf, type ObjectKey } from '../object-key.ts';
import { selects } from './label-selector.ts';
import type { CacheChange, CacheListener, ObjectCache } from './object-cache.ts';
import { type IndexFunction, ObjectTable, type TableIndex } from './object-table.ts';
import { type ReflectorOptions, reflect } from './reflector.ts';

/** What of a kind is cached, and how. */
export interface CacheOptions<T extends KubernetesObject>
  extends Pick<
    ReflectorOptions<T>,
    | 'namespace'
    | 'labelSelector'
    | 'fieldSelector'
    | 'metadataOnly'
    | 'keepManagedFields'
    | 'transform'
    | 'idleTimeout'
    | 'pageSize'
  > {
  /** By name: the values under which an object is found by `byIndex`. */
  indexes?: Readonly<Record<string, IndexFunction<T>>>;
  /** Each time the watch had to be begun again for another reason than its normal end. */
  onTrouble?(error: unknown): void;
  /** An index or the transform failed for an object, which is kept all the same. Called once for each of them. */
  onFailure?(error: RuntimeError): void;
}

/** How a cache does, for health, metrics and people. */
export interface CacheState {
  readonly objects: number;
  readonly bytes: number;
  readonly synced: boolean;
  /** Milliseconds since something last came from the server; undefined before anything did. */
  readonly silence: number | undefined;
  /** How often the watch had to be begun again. */
  readonly troubles: number;
  readonly lastTrouble: unknown;
}

/** A cache that somebody has to keep running. */
export interface RunnableCache<T extends KubernetesObject> extends ObjectCache<T> {
  /** Keeps it true until the signal fires; never rejects. */
  run(signal: AbortSignal): Promise<void>;
  state(): CacheState;
}

const BY_OWNER = 'kurator.dev/owner';

/** Makes a cache of one kind; it is empty until it is run. */
export function createCache<T extends KubernetesObject>(
  client: Client,
  type: ResourceType<T>,
  options: CacheOptions<T> = {},
): RunnableCache<T> {
  const { indexes = {}, onTrouble, onFailure, transform, ...rest } = options;
  const { namespace, labelSelector, fieldSelector } = options;
  const failed = new Set<string>();
  const onceFailed = (what: string, key: ObjectKey, cause: unknown) => {
    if (!failed.has(what)) onFailure?.(functionFailed(type, what, key, cause));
    failed.add(what);
  };
  const table = new ObjectTable<T>(tableIndexes(indexes), (index, key, error) =>
    onceFailed(`index "${index}"`, key, error),
  );
  const reflectorOptions = {
    ...rest,
    ...(transform ? { transform: unlessItFails(transform, (key, error) => onceFailed('transform', key, error)) } : {}),
  };
  const listeners = new Set<CacheListener<T>>();
  const syncing = Promise.withResolvers<void>();
  let synced = false;
  let contact: number | undefined;
  let troubles = 0;
  let lastTrouble: unknown;

  function onChange(change: CacheChange<T>): void {
    for (const listener of listeners) listener(change);
  }

  /** Only the server can say for sure what a selector selects: in doubt, what is not known yet waits for the watch. */
  function isSelected(written: T): boolean {
    const byLabels = labelSelector ? selects(labelSelector, written.metadata.labels) : true;
    const isCertain = !fieldSelector && byLabels !== undefined;
    return isCertain ? byLabels : table.has(keyOf(written));
  }

  function readable(): ObjectTable<T> {
    if (synced) return table;
    throw new RuntimeError('KUR_RUNTIME_NOT_SYNCED', `the cache of ${type.plural} is not complete yet`, {
      remedy: 'await untilSynced() first, or let a manager start what reads it',
    });
  }

  return {
    type,
    get synced() {
      return synced;
    },
    async untilSynced(signal) {
      if (synced) return;
      await (signal ? Promise.race([syncing.promise, aborted(signal)]) : syncing.promise);
    },
    get: (reference) => readable().get(reference),
    covers: (reference) =>
      !labelSelector && !fieldSelector && (namespace === undefined || reference.namespace === namespace),
    list: (query) => readable().list(query),
    byIndex(index, value) {
      if (index in indexes) return readable().byIndex(index, value);
      throw new RuntimeError('KUR_RUNTIME_NO_INDEX', `the cache of ${type.plural} has no index "${index}"`, {
        remedy: `declare it in the cache's indexes; there is ${Object.keys(indexes).join(', ') || 'none'}`,
      });
    },
    ownedBy: (uid, skip) => readable().byIndex(BY_OWNER, uid, skip),
    listen(listener) {
      for (const change of table.additions()) listener(change);
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    observe(written) {
      // What lies outside the cache's scope would go in and never be heard of again.
      if (namespace !== undefined && written.metadata.namespace !== namespace) return;
      if (!isSelected(written)) return;
      const change = table.putWritten(asStored(written, reflectorOptions));
      if (change) onChange(change);
    },
    async run(signal) {
      await reflect(
        {
          ...reflectorOptions,
          client,
          type,
          table,
          onChange,
          onSynced() {
            synced = true;
            syncing.resolve();
          },
          onTrouble(error) {
            troubles += 1;
            lastTrouble = error;
            onTrouble?.(error);
          },
          onContact() {
            contact = performance.now();
          },
        },
        signal,
      );
    },
    state: () => ({
      objects: table.size,
      bytes: table.heldBytes,
      synced,
      silence: contact === undefined ? undefined : performance.now() - contact,
      troubles,
      lastTrouble,
    }),
  };
}

/** The caches of a process. Asking twice for the same is getting the same. */
export class Caches {
  readonly #client: Client;
  readonly #caches = new Map<string, Map<unknown, RunnableCache<KubernetesObject>>>();

  constructor(client: Client) {
    this.#client = client;
  }

  /**
   * The cache of a kind, made when it is first asked for. Who asks for the same kind, namespace, selectors and transform
   * shares it, and then must not ask for other indexes: they were settled by whoever came first.
   */
  of<T extends KubernetesObject>(type: ResourceType<T>, options: CacheOptions<T> = {}): RunnableCache<T> {
    const { namespace, labelSelector, fieldSelector, metadataOnly = false, transform } = options;
    const identity = JSON.stringify([
      type.apiVersion,
      type.kind,
      namespace,
      labelSelector,
      fieldSelector,
      metadataOnly,
    ]);
    const alike = this.#caches.get(identity) ?? new Map();
    const known = alike.get(transform);
    if (known && options.indexes) {
      throw new RuntimeError(
        'KUR_RUNTIME_CACHE_SETTLED',
        `the cache of ${type.plural} exists already, without these indexes`,
        { remedy: 'declare indexes where the kind is first watched' },
      );
    }
    if (known) return known as unknown as RunnableCache<T>;
    const cache = createCache(this.#client, type, options);
    this.#caches.set(identity, alike.set(transform, cache));
    return cache;
  }

  all(): RunnableCache<KubernetesObject>[] {
    return [...this.#caches.values()].flatMap((alike) => [...alike.values()]);
  }
}

function tableIndexes<T extends KubernetesObject>(
  indexes: Readonly<Record<string, IndexFunction<T>>>,
): ReadonlyMap<string, TableIndex<T>> {
  const asked = Object.entries(indexes).map(([name, valuesOf]): [string, TableIndex<T>] => [
    name,
    (raw) => valuesOf(raw.object()),
  ]);
  return new Map([[BY_OWNER, controllerOf], ...asked]);
}

/** One object that an author did not think of must not keep all others out of the cache: it stays as it came. */
function unlessItFails<T extends KubernetesObject>(
  transform: (object: T) => T,
  onFailure: (key: ObjectKey, error: unknown) => void,
): (object: T) => T {
  return (object) => {
    try {
      return transform(object);
    } catch (error) {
      onFailure(keyOf(object), error);
      return object;
    }
  };
}

function functionFailed({ plural }: ResourceType, what: string, key: ObjectKey, cause: unknown): RuntimeError {
  const why = messageOf(cause);
  const message = `the ${what} of the cache of ${plural} failed for ${key}, and maybe for others: ${why}`;
  const remedy = 'let it give something for every object that the API server takes: fields may be missing';
  return new RuntimeError('KUR_RUNTIME_CACHE_FUNCTION', message, { cause, remedy });
}

const NOBODY: readonly string[] = [];

function controllerOf({ metadata }: Pick<KubernetesObject, 'metadata'>): readonly string[] {
  const controller = metadata.ownerReferences?.find((owner) => owner.controller);
  return controller ? [controller.uid] : NOBODY;
}

/** A write's answer has all that a cache may have been told to leave out. */
function asStored<T extends KubernetesObject>(written: T, options: CacheOptions<T>): T {
  const { keepManagedFields, metadataOnly, transform } = options;
  const { managedFields, ...rest } = written.metadata;
  const metadata = keepManagedFields && managedFields ? written.metadata : rest;
  const { apiVersion, kind } = written;
  const slim = metadataOnly ? ({ apiVersion, kind, metadata } as T) : { ...written, metadata };
  return transform ? transform(slim) : slim;
}

async function aborted(signal: AbortSignal): Promise<never> {
  return await new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
