/**
 * How a controller writes: children by server-side apply, the status, finalizers, and deletions of children that are no
 * longer wanted. What would change nothing is not sent; what was sent is in the cache before the call returns.
 */
import type { Client, KubernetesObject, ObjectReference, ResourceType } from '@kurator/client';
import type { ObjectCache } from '../cache/object-cache.ts';
import { type Clock, systemClock } from '../clock.ts';
import { RuntimeError } from '../error.ts';
import { createApply } from './apply.ts';
import { declarationOf } from './declaration.ts';
import { addFinalizer, removeFinalizer } from './finalizer.ts';
import { prune, removeChild } from './prune.ts';
import { RecentUids } from './recent-uids.ts';
import { releaseChild } from './release.ts';
import { writeStatus } from './status.ts';
import type { Apply, WriteOptions } from './write-options.ts';
import type { WritingTools } from './writing-tools.ts';

/** As whom is written, and which caches learn of it. */
export interface WriterOptions {
  client: Client;
  /** In whose name fields are written: one of its own for each controller, and the same for ever. At most 63 characters. */
  fieldManager: string;
  /** Where to look before writing, and what learns of each write. A kind without a cache is written each time. */
  caches?: readonly ObjectCache<KubernetesObject>[];
  clock?: Clock;
}

/** How many writes were sent, and how many were not because nothing would have changed. */
export interface WriteCounts {
  sent: number;
  spared: number;
}

/** Writes what should be, and nothing that is already so. */
export interface Writer {
  readonly fieldManager: string;
  readonly counts: Readonly<WriteCounts>;
  /** Makes an object exist and have these fields; fields that were given last time and are not now are removed. */
  apply: Apply;
  /**
   * Makes the status what is given. It is taken to be this controller's alone: fields that are not given are removed,
   * except conditions of types that are not given. Conditions get their times and generation here. Undefined if the
   * object is gone.
   */
  writeStatus<T extends KubernetesObject>(
    type: ResourceType<T>,
    object: T,
    status: object,
    options?: WriteOptions,
  ): Promise<T | undefined>;
  /** The object with the finalizer; undefined if it is gone or being deleted. */
  addFinalizer<T extends KubernetesObject>(
    type: ResourceType<T>,
    object: T,
    name: string,
    options?: WriteOptions,
  ): Promise<T | undefined>;
  /** The object without it; undefined if it is gone. Only to be called when the clean-up has succeeded. */
  removeFinalizer<T extends KubernetesObject>(
    type: ResourceType<T>,
    object: T,
    name: string,
    options?: WriteOptions,
  ): Promise<T | undefined>;
  /**
   * Deletes the children of an owner that this field manager applied and that are not in `declared`, of the kinds that
   * `caches` hold. Returns what it asked to be deleted.
   */
  prune(
    owner: KubernetesObject,
    caches: readonly ObjectCache<KubernetesObject>[],
    declared: ReadonlySet<string>,
    options?: WriteOptions,
  ): Promise<KubernetesObject[]>;
  /** Deletes one child of an owner that this field manager applied; false if there is none of that name. */
  remove(
    owner: KubernetesObject,
    cache: ObjectCache<KubernetesObject>,
    reference: ObjectReference,
    options?: WriteOptions,
  ): Promise<boolean>;
  /** Lets go of one child of an owner that this field manager applied, which stays as it is; false if there is none. */
  release(
    owner: KubernetesObject,
    cache: ObjectCache<KubernetesObject>,
    reference: ObjectReference,
    options?: WriteOptions,
  ): Promise<boolean>;
  /** Reads an object from the server into its cache; undefined if it isn't there. */
  refresh<T extends KubernetesObject>(
    type: ResourceType<T>,
    reference: ObjectReference,
    options?: WriteOptions,
  ): Promise<T | undefined>;
}

/** Makes a writer; it sends nothing by itself. */
export function createWriter({ client, fieldManager, caches = [], clock = systemClock }: WriterOptions): Writer {
  checkFieldManager(fieldManager);
  const byKind = new Map(caches.map((cache) => [declarationOf(cache.type), cache]));
  const counts = { sent: 0, spared: 0 };
  const tools: WritingTools = {
    client,
    fieldManager,
    clock,
    counts,
    deleted: new RecentUids(),
    released: new RecentUids(),
    cacheOf: <T extends KubernetesObject>(type: ResourceType<T>) =>
      byKind.get(declarationOf(type)) as ObjectCache<T> | undefined,
    observed(type, written) {
      counts.sent++;
      tools.cacheOf(type)?.observe(written);
      return written;
    },
    async read(type, reference, signal) {
      const found = await client.find(type, reference, { signal });
      if (found) tools.cacheOf(type)?.observe(found);
      return found;
    },
  };
  return {
    fieldManager,
    counts,
    apply: createApply(tools),
    writeStatus: (type, object, status, options) => writeStatus(tools, type, object, status, options?.signal),
    addFinalizer: (type, object, name, options) => addFinalizer(tools, type, object, name, options?.signal),
    removeFinalizer: (type, object, name, options) => removeFinalizer(tools, type, object, name, options?.signal),
    prune: (owner, kinds, declared, options) => prune(tools, owner, kinds, declared, options?.signal),
    remove: (owner, cache, reference, options) => removeChild(tools, owner, cache, reference, options?.signal),
    release: (owner, cache, reference, options) => releaseChild(tools, owner, cache, reference, options?.signal),
    refresh: (type, reference, options) => tools.read(type, reference, options?.signal),
  };
}

const labelValue = /^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;

function checkFieldManager(name: string): void {
  if (labelValue.test(name)) return;
  throw new RuntimeError('KUR_RUNTIME_BAD_FIELD_MANAGER', `${JSON.stringify(name)} is no name for a field manager`, {
    remedy: 'use up to 63 letters, digits, "-", "_" and "." that begin and end with a letter or digit',
  });
}
