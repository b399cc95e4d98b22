/**
 * Keeps an ObjectTable equal to what the API server has, for as long as it runs.
 *
 *   begin ──► WatchList (or a paginated list, then a watch, where the server doesn't stream) ──► synced
 *   events ──► table ──► listeners
 *   the watch ends ──► again from the last version seen
 *   that version is too old (410), or a line makes no sense ──► begin again; only differences become changes
 *   any other failure ──► the same after a pause that grows and has jitter
 *   the server fails at that version again and again ──► begin again: it may never get past it
 *
 * A stream that goes quiet is ended by the client's idle timeout: the server sends bookmarks, so silence means a dead
 * connection, not an idle cluster.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type Client, ClientError, hasCode, type KubernetesObject, type ResourceType } from '@kurator/client';
import { keyOf, type ObjectKey } from '../object-key.ts';
import { parseEventLine } from './event-line.ts';
import type { CacheChange } from './object-cache.ts';
import type { ObjectTable } from './object-table.ts';
import { RawObject } from './raw-object.ts';

export interface ReflectorOptions<T extends KubernetesObject> {
  client: Client;
  type: ResourceType<T>;
  table: ObjectTable<T>;
  /** All unless given. */
  namespace?: string;
  labelSelector?: string;
  fieldSelector?: string;
  /** Only metadata is fetched and kept. */
  metadataOnly?: boolean;
  /** Keeps `metadata.managedFields`; they are dropped unless told. */
  keepManagedFields?: boolean;
  /** Takes away what nobody reads, before an object is stored. */
  transform?: (object: T) => T;
  /** Milliseconds without a byte after which a watch counts as dead; 150 s unless given. */
  idleTimeout?: number;
  /** Objects a page where the server doesn't stream lists; 500 unless given. */
  pageSize?: number;
  onChange(change: CacheChange<T>): void;
  onSynced(): void;
  /** Each time a watch has to be begun again for another reason than its normal end. */
  onTrouble?(error: unknown): void;
  /** Something came from the server: it can be reached. */
  onContact?(): void;
}

const FIRST_PAUSE = 200;
// How late a change may be heard of after the server was away for long; going on where one was costs it little.
const LONGEST_PAUSE = 10_000;
// A server that ends a watch sooner than that, with nothing said, would be asked without end.
const SHORTEST_WATCH = 1_000;
// Failures of the server at one version after which another is tried.
const PATIENCE = 2;
// Times that it may ask for a moment before that is trouble.
const PLEAS = 3;
const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';

/** Runs until the signal fires; never throws. */
export async function reflect<T extends KubernetesObject>(
  options: ReflectorOptions<T>,
  signal: AbortSignal,
): Promise<void> {
  const reflector = new Reflector(options, signal);
  await reflector.run();
}

class Reflector<T extends KubernetesObject> {
  readonly #options: ReflectorOptions<T>;
  readonly #signal: AbortSignal;
  /** Where to go on; undefined when everything must be told anew. */
  #version: string | undefined;
  /** While everything is told anew: what has not been mentioned yet. */
  #unmentioned: Set<ObjectKey> | undefined;
  #canStream = true;
  #pause = FIRST_PAUSE;
  /** How often the server failed since something last came from it. */
  #serverFailures = 0;
  /** How often it asked for a moment since then. */
  #pleas = 0;

  constructor(options: ReflectorOptions<T>, signal: AbortSignal) {
    this.#options = options;
    this.#signal = signal;
  }

  async run(): Promise<void> {
    while (!this.#signal.aborted) {
      try {
        if (this.#version === undefined && !this.#canStream) await this.#list();
        await this.#watch();
      } catch (error) {
        if (this.#signal.aborted) return;
        await this.#recover(error);
      }
    }
  }

  async #recover(error: unknown): Promise<void> {
    if (this.#unmentioned && this.#canStream && isStreamRefusal(error)) {
      this.#canStream = false;
      this.#unmentioned = undefined;
      return;
    }
    if (!this.#isPlea(error)) this.#options.onTrouble?.(error);
    if (hasCode(error, 'KUR_CLIENT_SERVER')) this.#serverFailures += 1;
    const isLost = hasCode(error, 'KUR_CLIENT_EXPIRED') || error instanceof BrokenStream;
    if (isLost || this.#serverFailures >= PATIENCE) this.#version = undefined;
    this.#unmentioned = undefined;
    const asked = error instanceof ClientError ? (error.retryAfterSeconds ?? 0) * 1000 : 0;
    const pause = Math.min(asked, LONGEST_PAUSE) + this.#pause * (0.5 + Math.random());
    // The only way a delay fails is that the signal fired, which the loop sees for itself.
    await delay(pause, undefined, { signal: this.#signal }).catch(() => {});
    this.#pause = Math.min(this.#pause * 2, LONGEST_PAUSE);
  }

  /** A server that asks for a moment is well, as when it has only just learned of a kind; one that goes on asking isn't. */
  #isPlea(error: unknown): boolean {
    if (!hasCode(error, 'KUR_CLIENT_TOO_MANY_REQUESTS')) return false;
    this.#pleas += 1;
    return this.#pleas <= PLEAS;
  }

  async #watch(): Promise<void> {
    const { client, type, metadataOnly, idleTimeout } = this.#options;
    const fromNothing = this.#version === undefined;
    if (fromNothing) this.#unmentioned = new Set(this.#options.table.keys());
    const lines = client.watchLines(type, {
      ...this.#selection(),
      signal: this.#signal,
      ...(fromNothing ? { sendInitialEvents: true } : { resourceVersion: this.#version as string }),
      ...(metadataOnly ? { metadataOnly } : {}),
      ...(idleTimeout === undefined ? {} : { idleTimeout }),
    });
    const begun = performance.now();
    let heard = false;
    for await (const batch of lines) {
      heard = true;
      this.#contact();
      for (const line of batch) if (line.length > 0) this.#take(line);
    }
    if (this.#unmentioned) throw new BrokenStream('the server ended the watch before it had sent everything');
    if (!heard && performance.now() - begun < SHORTEST_WATCH) throw new Error('the server ended the watch at once');
  }

  #take(line: Uint8Array): void {
    const event = parseEventLine<T>(line, this.#options);
    if (!event) throw new BrokenStream('the server sent something that is no event');
    const { object } = event;
    const version = object.metadata.resourceVersion;
    if (event.type === 'BOOKMARK') {
      if (object.metadata.annotations?.[INITIAL_EVENTS_END] === 'true') this.#endInitialEvents();
    } else if (event.type === 'DELETED') {
      this.#tell(this.#options.table.remove(keyOf(object), version));
    } else {
      this.#put(object);
    }
    // Until everything was told once, the versions that come are those of objects, in any order.
    if (!this.#unmentioned) this.#version = version;
  }

  #put(object: RawObject<T>): void {
    const initial = this.#unmentioned !== undefined;
    this.#unmentioned?.delete(keyOf(object));
    this.#tell(this.#options.table.put(this.#slim(object), initial));
  }

  #slim(raw: RawObject<T>): RawObject<T> {
    const { transform, metadataOnly, type } = this.#options;
    if (!transform && !metadataOnly) return raw;
    const object = raw.object();
    if (metadataOnly) {
      object.apiVersion = type.apiVersion;
      object.kind = type.kind;
    }
    return RawObject.fromObject(transform ? transform(object) : object);
  }

  #endInitialEvents(): void {
    for (const key of this.#unmentioned ?? []) this.#tell(this.#options.table.remove(key));
    this.#unmentioned = undefined;
    this.#options.onSynced();
  }

  async #list(): Promise<void> {
    const { client, type, metadataOnly, keepManagedFields, pageSize = 500 } = this.#options;
    this.#unmentioned = new Set(this.#options.table.keys());
    let next: string | undefined;
    let version: string | undefined;
    do {
      const page = await client.list<T>(type, {
        ...this.#selection(),
        signal: this.#signal,
        limit: pageSize,
        ...(metadataOnly ? { metadataOnly } : {}),
        ...(next ? { continue: next } : {}),
      });
      this.#contact();
      for (const object of page.items) {
        if (!keepManagedFields) delete object.metadata.managedFields;
        this.#put(RawObject.fromObject(object));
      }
      version = page.metadata.resourceVersion;
      next = page.metadata.continue;
    } while (next);
    this.#endInitialEvents();
    this.#version = version;
  }

  #contact(): void {
    this.#pause = FIRST_PAUSE;
    this.#serverFailures = 0;
    this.#pleas = 0;
    this.#options.onContact?.();
  }

  #tell(change: CacheChange<T> | undefined): void {
    if (change) this.#options.onChange(change);
  }

  #selection(): { namespace?: string; labelSelector?: string; fieldSelector?: string } {
    const { namespace, labelSelector, fieldSelector } = this.#options;
    return {
      ...(namespace ? { namespace } : {}),
      ...(labelSelector ? { labelSelector } : {}),
      ...(fieldSelector ? { fieldSelector } : {}),
    };
  }
}

/** What came can't be trusted: everything must be told anew. */
class BrokenStream extends Error {
  override readonly name = 'BrokenStream';
}

/** Servers that can't stream lists say that the request is invalid. */
function isStreamRefusal(error: unknown): boolean {
  return error instanceof ClientError && (error.status === 400 || error.status === 422);
}
