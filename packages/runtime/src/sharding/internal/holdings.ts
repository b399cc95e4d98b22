/** The shards that this replica owns, and what it tells those who work on their keys. */
import { type Clock, pause } from '../../clock.ts';
import type { ShardListener } from '../../controller/shard-gate.ts';
import type { ObjectKey } from '../../object-key.ts';
import { shardOf } from '../shard-of.ts';
import { Holding, type HoldingPhase, type Member } from './holding.ts';

export interface HoldingsOptions {
  readonly clock: Clock;
  /** Milliseconds after which what is under way is told to break off. */
  readonly drainTimeout: number;
  readonly member: Member;
  onGained(shards: readonly number[]): void;
  onLost(shards: readonly number[], reason: unknown): void;
  /** Nothing is under way for these any more. */
  onDrained(): void;
  /** What is under way for these doesn't end: they are kept for now. */
  onStuck(shards: readonly number[]): void;
}

// How long what was told to break off may take.
const GRACE = 5_000;

export class Holdings {
  readonly #options: HoldingsOptions;
  readonly #byShard = new Map<number, Holding>();
  readonly #listeners = new Set<ShardListener>();
  #count = 1;

  constructor(options: HoldingsOptions) {
    this.#options = options;
  }

  of(key: ObjectKey): Holding | undefined {
    return this.#byShard.get(shardOf(key, this.#count));
  }

  shards(...phases: HoldingPhase[]): number[] {
    const holdings = Array.from(this.#byShard.values()).filter(({ phase }) => phases.includes(phase));
    return holdings.map(({ shard }) => shard).sort((a, b) => a - b);
  }

  subscribe(listener: ShardListener): () => void {
    this.#listeners.add(listener);
    const held = new Set(this.shards('held'));
    if (held.size > 0) listener.onGained(this.#has(held));
    return () => this.#listeners.delete(listener);
  }

  /**
   * Takes over what a table says.
   *
   * @param version Of the table.
   * @param owned What it says that is ours.
   * @param count How many shards there are at all.
   */
  adopt(version: number, owned: readonly number[], count: number): void {
    if (count !== this.#count) this.lose(new Error('the number of shards changed'));
    this.#count = count;
    const ours = new Set(owned);
    this.#settleDoubts(version, ours);
    const gone = Array.from(this.#byShard.values()).filter(({ shard }) => !ours.has(shard));
    const given = gone.filter(({ phase }) => phase === 'drained' || phase === 'doubtful');
    for (const holding of given) this.#drop(holding);
    this.lose(new Error('the table of shards names another owner'), (shard) => !ours.has(shard));
    this.#gain(owned.filter((shard) => !this.#byShard.has(shard)));
  }

  /** They are surely not ours any more, or can't be known to be. */
  lose(reason: unknown, which: (shard: number) => boolean = () => true): void {
    const lost = Array.from(this.#byShard.values()).filter(({ shard }) => which(shard));
    for (const holding of lost) {
      this.#byShard.delete(holding.shard);
      holding.draining = undefined;
      holding.lose(reason);
    }
    if (lost.length > 0)
      this.#options.onLost(
        lost.map(({ shard }) => shard),
        reason,
      );
  }

  /** Makes it so that these, and no others, are drained or on the way to it. */
  giveAway(shards: ReadonlySet<number>): void {
    const { clock } = this.#options;
    const holdings = Array.from(this.#byShard.values());
    const kept = holdings.filter(
      ({ shard, phase }) => !shards.has(shard) && (phase === 'draining' || phase === 'drained'),
    );
    this.#keep(kept);
    const now = clock.now();
    const given = holdings.filter(
      ({ shard, phase, keptUntil }) => shards.has(shard) && phase === 'held' && keptUntil <= now,
    );
    // Each for itself: one that has nothing under way need not wait for one that has.
    for (const holding of given) void this.#drain(holding);
  }

  /** A write that gives these away was sent, over this version of the table, and not answered. */
  doubt(shards: readonly number[], version: number): void {
    for (const shard of shards) {
      const holding = this.#byShard.get(shard);
      if (!holding) continue;
      holding.phase = 'doubtful';
      holding.doubtedAt = version;
    }
  }

  /** As long as the table is the one that was written over, the write may still arrive. */
  #settleDoubts(version: number, ours: ReadonlySet<number>): void {
    for (const holding of this.#byShard.values()) {
      const settled = holding.phase === 'doubtful' && version > holding.doubtedAt;
      if (settled && ours.has(holding.shard)) holding.phase = 'drained';
    }
  }

  #drop(holding: Holding): void {
    this.#byShard.delete(holding.shard);
    holding.draining = undefined;
    holding.end();
  }

  #gain(shards: readonly number[]): void {
    if (shards.length === 0) return;
    for (const shard of shards) this.#byShard.set(shard, new Holding(shard, this.#options.member));
    this.#options.onGained(shards);
    this.#tellGained(shards);
  }

  #keep(holdings: readonly Holding[]): void {
    if (holdings.length === 0) return;
    for (const holding of holdings) {
      holding.phase = 'held';
      holding.draining = undefined;
    }
    this.#tellGained(holdings.map(({ shard }) => shard));
  }

  #tellGained(shards: readonly number[]): void {
    const has = this.#has(new Set(shards));
    for (const listener of this.#listeners) listener.onGained(has);
  }

  async #drain(holding: Holding): Promise<void> {
    const { clock, drainTimeout, onDrained, onStuck } = this.#options;
    const abort = new AbortController();
    const over = new AbortController();
    holding.phase = 'draining';
    holding.draining = abort;
    const isCurrent = () => holding.draining === abort && holding.phase === 'draining';
    const has = this.#has(new Set([holding.shard]));
    const drained = Promise.all(Array.from(this.#listeners, (listener) => listener.onDraining(has, abort.signal))).then(
      () => true,
    );
    const late = async (milliseconds: number) => {
      await pause(clock, milliseconds, over.signal);
      return false;
    };
    let done = await Promise.race([drained, late(drainTimeout)]);
    if (!done && isCurrent()) {
      abort.abort(new Error('the shard is handed over to another replica'));
      done = await Promise.race([drained, late(GRACE)]);
    }
    over.abort();
    if (!isCurrent()) return;
    if (done) {
      holding.phase = 'drained';
      onDrained();
      return;
    }
    // Its other keys must not wait for the one that is stuck.
    holding.keptUntil = clock.now() + drainTimeout;
    this.#keep([holding]);
    onStuck([holding.shard]);
  }

  #has(shards: ReadonlySet<number>): (key: ObjectKey) => boolean {
    const count = this.#count;
    return (key) => shards.has(shardOf(key, count));
  }
}
