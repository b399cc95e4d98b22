/**
 * Lets a controller not hear of its own writes of a status, or of notes: they are the end of a reconcile, and no reason
 * for another. What anybody else writes there is.
 *
 * A watch may bring our write before its answer does. So while an answer is awaited, such changes are put aside; when it
 * is there, those that were not ours are told after all.
 */
import type { Client, KubernetesObject, ObjectReference } from '@kurator/client';
import type { Predicate } from '../../controller/predicate.ts';
import { BoundedMap } from '../../events/internal/bounded-map.ts';
import { sameJson } from '../../writing/json.ts';

// What falls out costs one reconcile that changes nothing.
const REMEMBERED = 10_000;

/** Annotations that begin so are notes that an operator makes for itself. */
export const notePrefix = 'kurator.dev/last-run.';

export class OwnWrites {
  /** By uid: the version that our last write made. */
  readonly #written = new BoundedMap<string, string>(REMEMBERED);
  /** By `namespace/name`: for each answer that is awaited, the versions that came meanwhile. */
  readonly #awaiting = new Map<string, Set<string[]>>();
  /** Called for an object that somebody else has written to meanwhile. */
  onForeign: (reference: ObjectReference) => void = () => {};

  /** The same client, whose patches are remembered. */
  client(client: Client): Client {
    return {
      ...client,
      patch: async (type, ref, patch, options) => {
        const key = keyOf(ref);
        const aside: string[] = [];
        const awaiting = this.#awaiting.get(key) ?? new Set();
        this.#awaiting.set(key, awaiting.add(aside));
        let own: string | undefined;
        try {
          const written = await client.patch(type, ref, patch, options);
          own = written.metadata.resourceVersion;
          if (own) this.#written.set(written.metadata.uid ?? '', own);
          return written;
        } finally {
          awaiting.delete(aside);
          if (awaiting.size === 0) this.#awaiting.delete(key);
          if (aside.some((version) => version !== own)) this.onForeign({ name: ref.name, namespace: ref.namespace });
        }
      },
    };
  }

  /** True for every change but those that are nothing more than our writing of a status or a note. */
  readonly counts: Predicate = (change) => {
    if (change.type !== 'updated') return true;
    const now = change.object();
    const { uid = '', resourceVersion = '' } = now.metadata;
    const isOwn = this.#written.get(uid) === resourceVersion;
    const awaiting = this.#awaiting.get(keyOf(now.metadata));
    if (!isOwn && !awaiting) return true;
    // The answer to our write may be how we first hear of somebody else's.
    const before = change.previous();
    if (before === undefined || !sameJson(substanceOf(before), substanceOf(now))) return true;
    if (!isOwn) for (const aside of awaiting ?? []) aside.push(resourceVersion);
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
