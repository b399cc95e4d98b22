/**
 * Why an object is reconciled: the changes that came before. Followed from the operator's own caches, so nothing more is
 * watched for it. A child's change belongs to its owner; what has no owner may concern anybody, and is only a guess.
 */
import { isDeepStrictEqual } from 'node:util';
import type { KubernetesObject } from '@kurator/client';

/** A change, as a cache tells it. */
export interface SeenChange {
  readonly type: 'added' | 'updated' | 'deleted';
  readonly key: string;
  readonly kind: string;
  readonly object: KubernetesObject;
  readonly previous: KubernetesObject | undefined;
}

interface Note {
  readonly at: number;
  readonly text: string;
}

/** A change that has no owner is held to be the reason for so long. */
const GUESS = 1_000;
/** A reconcile begins in the moment in which its reason is noted, and moments are measured twice. */
const TOLERANCE = 2;
/** More than a person reads. */
const MOST = 4;

/** Remembers changes until a reconcile answers them. */
export class Reasons {
  readonly #own: ReadonlySet<string>;
  readonly #notes = new Map<string, Note[]>();
  #stray: Note[] = [];
  readonly #seen = new Set<string>();

  /** @param kinds The kinds that are reconciled. */
  constructor(kinds: readonly string[]) {
    this.#own = new Set(kinds);
  }

  note(change: SeenChange, at: number): void {
    const fields = changedFields(change.previous, change.object);
    if (this.#own.has(change.kind)) {
      // Mostly the operator's own writes, which cause nothing.
      if (change.type === 'updated' && fields.every((field) => field === 'status')) return;
      this.#add(`${change.kind} ${change.key}`, { at, text: ownText(change.type, fields) });
      return;
    }
    const note = { at, text: `${change.kind} ${change.key} ${ownText(change.type, fields)}` };
    const owner = ownerOf(change.object);
    if (owner) this.#add(owner, note);
    else this.#stray = [...this.#stray.filter((stray) => at - stray.at < GUESS), note].slice(-MOST);
  }

  /** What led to a reconcile that began then; it is forgotten. */
  take(kind: string, key: string, began: number): string[] {
    const id = `${kind} ${key}`;
    const notes = this.#notes.get(id) ?? [];
    const isBefore = ({ at }: Note) => at <= began + TOLERANCE;
    const before = notes.filter(isBefore);
    const after = notes.filter((note) => !isBefore(note));
    if (after.length > 0) this.#notes.set(id, after);
    else this.#notes.delete(id);
    const isFirst = !this.#seen.has(id);
    this.#seen.add(id);
    if (before.length > 0) return [...new Set(before.map(({ text }) => text))].slice(-MOST);
    const guesses = this.#stray.filter(({ at }) => Math.abs(began - at) < GUESS);
    if (guesses.length > 0) return guesses.map(({ text }) => `maybe: ${text}`);
    return [isFirst ? 'first look' : 'it was time again'];
  }

  #add(id: string, note: Note): void {
    this.#notes.set(id, [...(this.#notes.get(id) ?? []), note].slice(-MOST));
  }
}

function ownText(type: SeenChange['type'], fields: readonly string[]): string {
  if (type === 'added') return 'is new';
  if (type === 'deleted') return 'is gone';
  return fields.length > 0 ? `changed: ${fields.join(', ')}` : 'was written anew';
}

function ownerOf({ metadata }: KubernetesObject): string | undefined {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller);
  if (!owner) return undefined;
  return `${owner.kind} ${metadata.namespace ? `${metadata.namespace}/` : ''}${owner.name}`;
}

const shownMetadata = ['labels', 'annotations', 'finalizers', 'deletionTimestamp', 'ownerReferences'];

/** Which fields differ, as paths of at most two steps; what changes with every write is left out. Pure. */
export function changedFields(before: KubernetesObject | undefined, after: KubernetesObject): string[] {
  if (!before) return [];
  const [old, now] = [before, after] as unknown as Record<string, Record<string, unknown> | undefined>[];
  const fields = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...fields].flatMap((field) => {
    const [was, is] = [old?.[field], now?.[field]];
    if (isDeepStrictEqual(was, is)) return [];
    if (field !== 'spec' && field !== 'metadata') return [field];
    const inner =
      field === 'metadata' ? shownMetadata : [...new Set([...Object.keys(was ?? {}), ...Object.keys(is ?? {})])];
    return inner.filter((name) => !isDeepStrictEqual(was?.[name], is?.[name])).map((name) => `${field}.${name}`);
  });
}
