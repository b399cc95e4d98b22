/** The caches of a process, with what metrics and the debug page want to know of them. */
import { type Client, ClientError, hasCode, type KubernetesObject, type ResourceType } from '@kurator/client';
import { type CacheOptions, Caches, type RunnableCache } from '../cache/cache.ts';
import type { Clock } from '../clock.ts';
import type { RuntimeError } from '../error.ts';
import type { ShownCache } from '../insight/metrics.ts';
import type { Runnable } from './runnable.ts';

type AnyCache = RunnableCache<KubernetesObject>;

interface Notes {
  readonly restarts: Map<string, number>;
  /** Rejects when the cache can't be filled and nobody wants to wait. */
  readonly hopeless: PromiseWithResolvers<never>;
  syncSeconds: number | undefined;
}

export interface ObservedCachesOptions {
  readonly client: Client;
  readonly clock: Clock;
  /** Whether a cache of a kind that the server doesn't have fails; it waits for the kind otherwise. */
  readonly failsWithoutKind: boolean;
  /** A cache was asked for the first time. */
  onNew(cache: Runnable): void;
  onTrouble(kind: string, error: unknown): void;
  /** An index or a transform failed; the cache goes on without it. */
  onFailure(error: RuntimeError): void;
}

export class ObservedCaches extends Caches {
  readonly #options: ObservedCachesOptions;
  readonly #notes = new Map<AnyCache, Notes>();

  constructor(options: ObservedCachesOptions) {
    super(options.client);
    this.#options = options;
  }

  override of<T extends KubernetesObject>(type: ResourceType<T>, options: CacheOptions<T> = {}): RunnableCache<T> {
    const restarts = new Map<string, number>();
    const hopeless = Promise.withResolvers<never>();
    hopeless.promise.catch(() => {});
    const onTrouble = (error: unknown) => {
      const reason = reasonOf(error);
      restarts.set(reason, (restarts.get(reason) ?? 0) + 1);
      this.#options.onTrouble(type.kind, error);
      options.onTrouble?.(error);
      const isMissing = hasCode(error, 'KUR_CLIENT_UNKNOWN_KIND') && !cache.synced;
      if (isMissing && this.#options.failsWithoutKind) hopeless.reject(error);
    };
    const onFailure = (error: RuntimeError) => {
      this.#options.onFailure(error);
      options.onFailure?.(error);
    };
    const cache = super.of(type, { ...options, onTrouble, onFailure });
    const key = cache as unknown as AnyCache;
    if (this.#notes.has(key)) return cache;
    const notes: Notes = { restarts, hopeless, syncSeconds: undefined };
    this.#notes.set(key, notes);
    this.#options.onNew(this.#runnable(key, notes));
    return cache;
  }

  shown(): ShownCache[] {
    return Array.from(this.#notes, ([cache, { restarts, syncSeconds }]) => ({
      kind: cache.type.kind,
      ...cache.state(),
      restarts,
      syncSeconds,
    }));
  }

  #runnable(cache: AnyCache, notes: Notes): Runnable {
    const { clock } = this.#options;
    return {
      name: `cache of ${cache.type.plural}`,
      async run({ stop }) {
        const begun = clock.now();
        void cache.untilSynced(stop).then(
          () => {
            notes.syncSeconds = (clock.now() - begun) / 1000;
          },
          () => {},
        );
        await Promise.race([cache.run(stop), notes.hopeless.promise]);
      },
      ready: (signal) => cache.untilSynced(signal),
    };
  }
}

/** A short word for why a watch ended: `expired`, `unreachable`. */
function reasonOf(error: unknown): string {
  if (error instanceof ClientError) return error.code.replace('KUR_CLIENT_', '').toLowerCase();
  return error instanceof Error ? error.name : 'unknown';
}
