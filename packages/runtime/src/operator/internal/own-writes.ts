/**
 * Lets a controller not hear of its own writes of a status, or of notes: they are the end of a reconcile, and no reason
 * for another. What anybody else writes there is.
 *
 * A watch may bring our write before its answer does. So while answers are awaited, such changes are put aside; when all
 * are there, those that were not ours are told after all.
 */
import type { Client, KubernetesObject, ObjectReference } from '@kurator/client';
import { BoundedMap } from '../../bounded-map.ts';
import type { Predicate } from '../../controller/predicate.ts';
import { sameJson } from '../../writing/json.ts';

// What falls out costs one reconcile that changes nothing.
const REMEMBERED = 10_000;

/** Annotations that begin so are notes that an operator makes for itself. */
export const notePrefix = 'kurator.dev/last-run.';

// A status and notes may be written at once: more than a few versions back nobody brings any more.
const VERSIONS = 4;

/** Writes of one object whose answers are awaited: what came meanwhile, and what of it was ours. */
interface Awaited {
  answers: number;
  readonly aside: Set<string>;
  readonly own: Set<string>;
}

export class OwnWrites {
  /** By uid: the versions that our last writes made. */
  readonly #written = new BoundedMap<string, readonly string[]>(REMEMBERED);
  /** By `namespace/name`. */
  readonly #awaiting = new Map<string, Awaited>();
  /** Called for an object that somebody else has written to meanwhile. */
  onForeign: (reference: ObjectReference) => void = () => {};

  /** The same client, whose patches are remembered. */
  client(client: Client): Client {
    return {
      ...client,
      patch: async (type, ref, patch, options) => {
        const key = keyOf(ref);
        const awaited = this.#awaiting.get(key) ?? { answers: 0, aside: new Set(), own: new Set() };
        this.#awaiting.set(key, awaited);
        awaited.answers++;
        try {
          const written = await client.patch(type, ref, patch, options);
          this.#remember(written, awaited);
          return written;
        } finally {
          awaited.answers--;
          if (awaited.answers === 0) this.#judge(ref, awaited);
        }
      },
    };
  }

  #remember({ metadata: { uid = '', resourceVersion } }: KubernetesObject, { own }: Awaited): void {
    if (!resourceVersion) return;
    own.add(resourceVersion);
    this.#written.set(uid, [resourceVersion, ...(this.#written.get(uid) ?? [])].slice(0, VERSIONS));
  }

  #judge({ name, namespace }: ObjectReference, { aside, own }: Awaited): void {
    this.#awaiting.delete(keyOf({ name, namespace }));
    if (!aside.isSubsetOf(own)) this.onForeign({ name, namespace });
  }

  /** True for every change but those that are nothing more than our writing of a status or a note. */
  readonly predicate: Predicate = (change) => {
    if (change.type !== 'updated') return true;
    const now = change.object();
    const { uid = '', resourceVersion = '' } = now.metadata;
    const isOwn = this.#written.get(uid)?.includes(resourceVersion) ?? false;
    const awaited = this.#awaiting.get(keyOf(now.metadata));
    if (!isOwn && !awaited) return true;
    // The answer to our write may be how we first hear of somebody else's.
    const before = change.previous();
    if (before === undefined || !sameJson(substanceOf(before), substanceOf(now))) return true;
    if (!isOwn) awaited?.aside.add(resourceVersion);
    return false;
  };
}

function keyOf({ name, namespace = '' }: ObjectReference): string {
  return `${namespace}/${name}`;
}

/** All but what a write of ours may have changed. */
function substanceOf(object: KubernetesObject): object {
  const { status: _, metadata, ...rest } = object as KubernetesObject & { status?: unknown };
  const { resourceVersion: _version, managedFields: _fields, annotations = {}, ...kept } = metadata;
  const others = Object.entries(annotations).filter(([name]) => !name.startsWith(notePrefix));
  return { ...rest, metadata: { ...kept, annotations: Object.fromEntries(others) } };
}
