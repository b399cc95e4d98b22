/**
 * What becomes of children that Kubernetes doesn't delete with their object: they are deleted before it goes, or kept for
 * a time after it. Then each is told on itself until when, and whoever leads by that time deletes it, also after any
 * number of restarts. One that a new object of the same name has taken over in the meantime stays.
 */
import { type Client, isConflict, isNotFound, type KubernetesObject, type ResourceType } from '@kurator/client';
import type { CacheChange, ObjectCache } from '../../cache/object-cache.ts';
import { type Clock, type ClockTimer, fired, systemClock } from '../../clock.ts';
import type { Runnable } from '../../manager/runnable.ts';
import { referenceOf } from '../../object-key.ts';
import { managedByLabel, ownerLabel } from '../../writing/declaration.ts';
import { clusterScope } from './cluster-scope.ts';
import type { ControllerScope } from './controller-scope.ts';
import { asResource } from './declared-kinds.ts';
import { childrenOf, ownerByAnnotation } from './remote-children.ts';

/** RFC 3339: until when a child is kept. */
const keepAnnotation = 'kurator.dev/delete-after';

/** Says on each child how long it is kept. */
export async function retainChildren(
  scope: ControllerScope,
  owner: KubernetesObject,
  signal: AbortSignal,
): Promise<void> {
  const { fieldManager, definition } = scope;
  const resource = asResource(definition.type);
  const { childrenAfter } = await import('@kurator/schema');
  const policy = resource && childrenAfter(resource);
  if (typeof policy !== 'object') return;
  const since = Date.parse(owner.metadata.deletionTimestamp ?? '');
  const until = new Date(since + policy.keepForMilliseconds).toISOString();
  const patch = (uid: string | undefined) => ({ metadata: { uid, annotations: { [keepAnnotation]: until } } });
  await eachRemoteChild(scope, owner, signal, (client, type, { metadata }) =>
    client.patch(type, metadata, patch(metadata.uid), { fieldManager, signal }),
  );
}

/** Deletes all of them. */
export async function deleteRemoteChildren(
  scope: ControllerScope,
  owner: KubernetesObject,
  signal: AbortSignal,
): Promise<void> {
  await eachRemoteChild(scope, owner, signal, (client, type, { metadata }) => {
    const { uid } = metadata;
    return client.delete(type, metadata, { signal, ...(uid ? { preconditions: { uid } } : {}) });
  });
}

async function eachRemoteChild(
  { remote, clusters, fieldManager }: ControllerScope,
  owner: KubernetesObject,
  signal: AbortSignal,
  act: (client: Client, type: ResourceType<KubernetesObject>, child: KubernetesObject) => Promise<unknown>,
): Promise<void> {
  for (const { cluster, cache } of remote) {
    const { client, namespaces } = clusterScope(clusters, cluster);
    const children = await childrenOf(client, cache.type, owner, { namespaces, fieldManager, signal });
    for (const child of children) await unlessGone(act(client, cache.type, child));
  }
}

// Timers don't reach further than some weeks, and clocks are set.
const LONGEST_WAIT = 60 * 60_000;
// What could not be deleted, or may not be yet, is looked at again after this.
const AGAIN = 60_000;

/** Deletes the children whose time is over. Runs while this process leads. */
export function retainedChildren(scope: ControllerScope, clock: Clock = systemClock): Runnable {
  return {
    name: `retained children of ${scope.definition.type.plural}`,
    async run({ stop, logger }) {
      const sweeps = scope.remote.map(({ cluster, cache }) => {
        const onTrouble = (error: unknown) => logger.warn({ error }, 'a child whose time is over could not be deleted');
        return new Sweep(scope, cache, clusterScope(scope.clusters, cluster).client, clock, onTrouble);
      });
      for (const sweep of sweeps) sweep.begin();
      await fired(stop);
      for (const sweep of sweeps) sweep.end();
    },
  };
}

class Sweep {
  readonly #scope: ControllerScope;
  readonly #cache: ObjectCache<KubernetesObject>;
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #onTrouble: (error: unknown) => void;
  /** By key: when it is due, in milliseconds since 1970. */
  readonly #due = new Map<string, number>();
  #timer: ClockTimer;
  /** When it looks next, in milliseconds since 1970. */
  #next = Number.POSITIVE_INFINITY;
  #ended = false;
  #stopListening: (() => void) | undefined;

  constructor(
    scope: ControllerScope,
    cache: ObjectCache<KubernetesObject>,
    client: Client,
    clock: Clock,
    onTrouble: (error: unknown) => void,
  ) {
    this.#scope = scope;
    this.#cache = cache;
    this.#client = client;
    this.#clock = clock;
    this.#onTrouble = onTrouble;
  }

  begin(): void {
    this.#stopListening = this.#cache.listen((change) => this.#note(change));
  }

  end(): void {
    this.#ended = true;
    this.#stopListening?.();
    this.#clock.clearTimeout(this.#timer);
  }

  #note(change: CacheChange<KubernetesObject>): void {
    const { type, key } = change;
    const { labels, annotations } = change.object().metadata;
    const until = Date.parse(annotations?.[keepAnnotation] ?? '');
    const isOurs = labels?.[managedByLabel] === this.#scope.fieldManager && !Number.isNaN(until);
    if (type === 'deleted' || !isOurs) this.#due.delete(key);
    else if (this.#due.get(key) !== until) {
      this.#due.set(key, until);
      this.#waitFor(until);
    }
  }

  #waitFor(due: number): void {
    if (this.#ended || due >= this.#next) return;
    this.#clock.clearTimeout(this.#timer);
    this.#next = due;
    const wait = Math.min(Math.max(due - this.#clock.date(), 0), LONGEST_WAIT);
    this.#timer = this.#clock.setTimeout(() => void this.#sweep(), wait);
  }

  async #sweep(): Promise<void> {
    const now = this.#clock.date();
    for (const [key, due] of this.#due) {
      if (this.#ended) return;
      if (due > now) continue;
      this.#due.set(key, now + AGAIN);
      await this.#remove(key).catch(this.#onTrouble);
    }
    this.#next = Number.POSITIVE_INFINITY;
    for (const due of this.#due.values()) this.#waitFor(due);
  }

  async #remove(key: string): Promise<void> {
    const child = this.#cache.get(referenceOf(key));
    if (!child || this.#hasOwner(child)) return;
    const { uid, resourceVersion } = child.metadata;
    const preconditions = { ...(uid ? { uid } : {}), ...(resourceVersion ? { resourceVersion } : {}) };
    await unlessGone(this.#client.delete(this.#cache.type, child.metadata, { preconditions }));
  }

  #hasOwner(child: KubernetesObject): boolean {
    const { definition, cache } = this.#scope;
    const reference = ownerByAnnotation(definition.type)(child);
    return reference !== undefined && cache.get(reference)?.metadata.uid === child.metadata.labels?.[ownerLabel];
  }
}

async function unlessGone(write: Promise<unknown>): Promise<void> {
  try {
    await write;
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
}
