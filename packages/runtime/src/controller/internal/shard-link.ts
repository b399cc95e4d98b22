/** Ties a controller to the keys that are its replica's. */
import type { KubernetesObject } from '@kurator/client';
import type { ObjectCache } from '../../cache/object-cache.ts';
import { RuntimeError } from '../../error.ts';
import type { ObjectKey } from '../../object-key.ts';
import { Priority } from '../../queue/priority.ts';
import type { WorkQueue } from '../../queue/work-queue.ts';
import type { ShardGate, ShardHold } from '../shard-gate.ts';

/** A reconcile under way. */
interface LinkedRun {
  readonly key: ObjectKey;
  readonly abort: AbortController;
}

export interface ShardLinkOptions {
  readonly gate: ShardGate;
  readonly primary: ObjectCache<KubernetesObject>;
  readonly queue: WorkQueue;
  runs(): Iterable<LinkedRun>;
}

export class ShardLink {
  readonly #options: ShardLinkOptions;
  readonly #waiting = new Set<() => void>();
  #unsubscribe: (() => void) | undefined;

  constructor(options: ShardLinkOptions) {
    this.#options = options;
  }

  open(): void {
    const { gate, primary, queue } = this.#options;
    this.#unsubscribe = gate.subscribe({
      // Listening tells of all there is. It is not news to the objects, only to us.
      onGained: (has) => primary.listen(({ key }) => has(key) && queue.add(key, Priority.resync))(),
      onDraining: (has, abort) => this.#drained(has, abort),
    });
  }

  close(): void {
    this.#unsubscribe?.();
  }

  hold(key: ObjectKey): ShardHold | undefined {
    return this.#options.gate.hold(key);
  }

  /** Ends a run when its key is lost; returns how to stop that. */
  bind({ abort }: LinkedRun, { signal }: ShardHold): () => void {
    const onLost = () => abort.abort(signal.reason);
    signal.addEventListener('abort', onLost, { once: true });
    if (signal.aborted) onLost();
    return () => signal.removeEventListener('abort', onLost);
  }

  /** A run has ended. */
  ended(): void {
    for (const look of this.#waiting) look();
  }

  async #drained(has: (key: ObjectKey) => boolean, abort: AbortSignal): Promise<void> {
    const runs = () => Array.from(this.#options.runs()).filter(({ key }) => has(key));
    if (runs().length === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const look = () => {
      if (runs().length === 0) resolve();
    };
    const breakOff = () => {
      const reason = new RuntimeError('KUR_RUNTIME_RUN_ENDED', 'the object is handed over to another replica');
      for (const run of runs()) run.abort.abort(reason);
    };
    this.#waiting.add(look);
    abort.addEventListener('abort', breakOff, { once: true });
    if (abort.aborted) breakOff();
    await promise;
    abort.removeEventListener('abort', breakOff);
    this.#waiting.delete(look);
  }
}
