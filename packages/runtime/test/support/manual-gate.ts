import type { ShardGate, ShardHold, ShardListener } from '../../src/controller/shard-gate.ts';

/** A gate that a test opens and closes. */
export class ManualGate implements ShardGate {
  readonly #holds = new Map<string, AbortController>();
  readonly #listeners = new Set<ShardListener>();

  hold(key: string): ShardHold | undefined {
    const ending = this.#holds.get(key);
    return ending && { signal: ending.signal, fence: () => ending.signal.throwIfAborted(), run: (work) => work() };
  }
  subscribe(listener: ShardListener): () => void {
    this.#listeners.add(listener);
    listener.onGained((key) => this.#holds.has(key));
    return () => this.#listeners.delete(listener);
  }
  gain(key: string): void {
    this.#holds.set(key, new AbortController());
    for (const listener of this.#listeners) listener.onGained((each) => each === key);
  }
  async drain(key: string, abort: AbortSignal = new AbortController().signal): Promise<void> {
    this.#holds.delete(key);
    await Promise.all(Array.from(this.#listeners, (listener) => listener.onDraining((each) => each === key, abort)));
  }
  lose(key: string): void {
    const ending = this.#holds.get(key);
    this.#holds.delete(key);
    ending?.abort(new Error('lost'));
  }
}
