/**
 * Remembers what was applied, so that applying it again can be left out, without asking the server.
 *
 * An apply changes nothing if what is wanted is what was wanted last time, and the fields that are ours still have the
 * values that the server then answered. Comparing with the answer rather than with what was sent makes no difference of
 * what the server writes in another way ("1000m" as "1") or leaves out (an empty string); comparing only our fields
 * makes none of what others do to theirs. Both are taken from the answer, so the cache need not keep managedFields.
 *
 * Of an object that was never applied by this process, one thing can be said still: if it is exactly what is wanted,
 * field for field, then there is nothing that an apply could change.
 */
import type { KubernetesObject } from '@kurator/client';
import { type FieldSet, fieldsOwnedBy, project } from './field-set.ts';
import { fingerprintOf, sameJson } from './json.ts';

interface Applied {
  /** Of what was wanted. */
  readonly wanted: string;
  /** The version of the object that is known to be as wanted. */
  version: string | undefined;
  /** Our fields, as JSON; shared between objects of the same shape. Undefined if they aren't known. */
  readonly fields: string | undefined;
  /** Of their values in the answer. */
  readonly owned: string;
}

// About 25 MB when full. What falls out costs one apply that changes nothing.
const CAPACITY = 100_000;
const SHAPES = 256;

export class AppliedMemory {
  readonly #manager: string;
  readonly #capacity: number;
  /** By what the caller calls the object; what was used last is last. */
  readonly #applied = new Map<string, Applied>();
  readonly #shapes = new Map<string, string>();

  constructor(manager: string, capacity = CAPACITY) {
    this.#manager = manager;
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#applied.size;
  }

  /**
   * Whether applying `wanted` would leave the object as it is. Never true if it might not.
   *
   * @param fingerprint Of `wanted`.
   */
  isApplied(id: string, fingerprint: string, wanted: KubernetesObject, live: KubernetesObject): boolean {
    const known = this.#applied.get(id);
    const version = live.metadata.resourceVersion;
    if (known?.wanted === fingerprint && (known.version === version || isStill(known, wanted, live))) {
      known.version = version;
      this.#keep(id, known);
      return true;
    }
    if (!isExactly(live, wanted)) return false;
    this.#keep(id, { wanted: fingerprint, version, fields: undefined, owned: '' });
    return true;
  }

  /** The server's answer to an apply. */
  remember(id: string, fingerprint: string, answer: KubernetesObject): void {
    const fields = fieldsOwnedBy(this.#manager, answer) ?? {};
    this.#keep(id, {
      wanted: fingerprint,
      version: answer.metadata.resourceVersion,
      fields: this.#shape(JSON.stringify(fields)),
      owned: ownedIn(answer, fields),
    });
  }

  #keep(id: string, applied: Applied): void {
    this.#applied.delete(id);
    this.#applied.set(id, applied);
    if (this.#applied.size <= this.#capacity) return;
    const [oldest] = this.#applied.keys();
    this.#applied.delete(oldest as string);
  }

  /** Thousands of children tend to have the same fields: one text for all. */
  #shape(text: string): string {
    const known = this.#shapes.get(text);
    if (known !== undefined) return known;
    if (this.#shapes.size >= SHAPES) this.#shapes.clear();
    this.#shapes.set(text, text);
    return text;
  }
}

/** Whether our fields, and whose it is, are what they were. */
function isStill({ fields, owned }: Applied, wanted: KubernetesObject, live: KubernetesObject): boolean {
  return fields !== undefined && hasOwners(live, wanted) && ownedIn(live, JSON.parse(fields)) === owned;
}

function ownedIn(object: KubernetesObject, fields: FieldSet): string {
  return fingerprintOf(project(object, fields));
}

function hasOwners(live: KubernetesObject, wanted: KubernetesObject): boolean {
  const there = live.metadata.ownerReferences ?? [];
  const isThere = (reference: unknown) => there.some((one) => sameJson(one, reference));
  return (wanted.metadata.ownerReferences ?? []).every(isThere);
}

const serverMetadata = new Set([
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'managedFields',
  'selfLink',
]);

/** Nothing more, nothing less, apart from what only the server writes. */
function isExactly(live: KubernetesObject, wanted: KubernetesObject): boolean {
  const { metadata, status: _, ...rest } = live as KubernetesObject & { status?: unknown };
  const { metadata: wantedMetadata, ...wantedRest } = wanted;
  if (!sameJson(rest, wantedRest)) return false;
  const own = Object.fromEntries(Object.entries(metadata).filter(([name]) => !serverMetadata.has(name)));
  return sameJson(own, wantedMetadata);
}
