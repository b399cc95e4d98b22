/**
 * One replica's part in sharing the shards. It looks at the table again and again, whenever that changes or a member's
 * time is up, and does what is its part of what is missing:
 *
 *   - it isn't in the table: joins;
 *   - a member is dead: takes it out, and shares what it had among those who live;
 *   - it has more than its share: drains the surplus, and hands it over.
 *
 * Each time all of this is at most one write of the table, and none when nothing is missing.
 */
import { ClientError, isAlreadyExists, isConflict, isNotFound, type RequestOptions } from '@kurator/client';
import { type Clock, moment, pause } from '../../clock.ts';
import type { ElectionTiming } from '../../leadership/timing.ts';
import type { RunContext } from '../../manager/runnable.ts';
import type { ShardingEvent } from '../sharding-event.ts';
import type { GroupStore, StoredTable } from './group-store.ts';
import { Holdings } from './holdings.ts';
import { Membership } from './membership.ts';
import { Neighbours } from './neighbours.ts';
import { bequeathed, improved } from './next-table.ts';
import { emptyTable, type MemberName, type ShardTable, shardsOf } from './shard-table.ts';
import { type TableChange, TableKnowledge } from './table-knowledge.ts';
import { watchGroup } from './watch-group.ts';

export interface ReplicaOptions {
  readonly store: GroupStore;
  readonly group: string;
  readonly identity: string;
  /** How many there should be. */
  readonly shards: number;
  readonly clock: Clock;
  readonly random: () => number;
  readonly timing: ElectionTiming;
  readonly drainTimeout: number;
  report(event: ShardingEvent): void;
}

export class Replica {
  readonly holdings: Holdings;
  readonly membership: Membership;
  readonly #options: ReplicaOptions;
  readonly #neighbours: Neighbours;
  readonly #knowledge: TableKnowledge;
  readonly #joined = Promise.withResolvers<void>();
  /** The table that this replica is, or was, a member in. */
  #joinedUid: string | undefined;
  /** Clock.now() since when there is no table, though there was one. */
  #missingSince: number | undefined;
  #mustAsk = true;
  #wake = new AbortController();

  constructor(options: ReplicaOptions) {
    const { store, clock, timing, drainTimeout, report } = options;
    this.#options = options;
    this.#neighbours = new Neighbours(store, clock, timing.leaseDuration);
    this.#knowledge = new TableKnowledge((change) => this.#tableChanged(change));
    this.membership = new Membership({
      ...options,
      confirm: (request) => this.#readTable(request),
      onEnded: (reason) => {
        this.holdings.lose(reason);
        this.#neighbours.forgetAll();
        this.#wakeUp();
      },
    });
    this.holdings = new Holdings({
      clock,
      drainTimeout,
      member: this.membership,
      onGained: (shards) => report({ type: 'gained', shards }),
      onLost: (shards, reason) => report({ type: 'lost', shards, reason }),
      onDrained: () => this.#wakeUp(),
      onStuck: (shards) => report({ type: 'stuck', shards }),
    });
  }

  get table(): ShardTable | undefined {
    return this.#knowledge.stored?.table;
  }

  /** Resolves when it has joined for the first time. */
  get joined(): Promise<void> {
    return this.#joined.promise;
  }

  async run({ stop, abort }: Pick<RunContext, 'stop' | 'abort'>): Promise<void> {
    const over = new AbortController();
    const watching = watchGroup({
      ...this.#options,
      signal: over.signal,
      onMember: (name, record) => this.#neighbours.saw(name, record),
      onTable: (stored) => this.#knowledge.heard(stored) === 'ask' && this.#askAgain(),
    });
    while (!stop.aborted) {
      // Before the turn: what happens during it must not be slept over.
      this.#wake = new AbortController();
      await this.#attempt('share the shards', () => this.#turn(stop));
      await pause(this.#options.clock, this.#restFor(), stop, this.#wake.signal);
    }
    await this.#leave(abort);
    over.abort();
    await watching;
  }

  async #turn(signal: AbortSignal): Promise<void> {
    const askedAt = moment(this.#options.clock);
    if (this.#mustAsk || !this.membership.isAlive() || !this.#knowledge.stored) {
      await this.#readTable(this.#request(signal));
      if (!this.#knowledge.stored) await this.#makeTable(signal);
    }
    if (!this.#knowledge.stored) return;
    if (!this.membership.isAlive()) {
      await this.membership.begin(askedAt, this.#request(signal));
      this.#adopt();
    }
    await this.#improve(signal);
    await this.#tidyUp(signal);
  }

  /** A table where there is none: at once if there never was one, else when nobody can think any more that there is. */
  async #makeTable(signal: AbortSignal): Promise<void> {
    const { store, shards } = this.#options;
    const isFirst = !this.#knowledge.seen && (await store.list(this.#request(signal))).members.size === 0;
    if (!isFirst && this.#tableFreeIn() > 0) return;
    const asked = this.#knowledge.ask();
    try {
      this.#knowledge.answered(await store.createTable(emptyTable(shards), this.#request(signal)), asked);
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      this.#askAgain();
    }
  }

  async #improve(signal: AbortSignal): Promise<void> {
    const { stored } = this.#knowledge;
    if (!stored || this.#wasRemoved(stored)) return;
    const { shards, report } = this.#options;
    const dead = await this.#findDead(stored.table, signal);
    // That took time, in which all may have changed.
    if (stored !== this.#knowledge.stored || !this.membership.isAlive()) {
      this.#wakeUp();
      return;
    }
    const { next, surplus, released } = improved(stored.table, {
      me: this.membership.name,
      dead,
      shards,
      drained: this.holdings.shards('drained'),
      isAlive: (member) => this.#neighbours.isAlive(member),
    });
    this.holdings.giveAway(new Set(surplus));
    const isWritten = await this.#write(stored, next, released, signal);
    if (isWritten) for (const member of dead) report({ type: 'removed', member });
  }

  /** Once a member and then not any more: whoever took us out has shared what was ours. */
  #wasRemoved({ uid, table }: StoredTable): boolean {
    if (uid !== this.#joinedUid || table.members.includes(this.membership.name)) return false;
    this.#joinedUid = undefined;
    this.membership.abandon();
    return true;
  }

  async #findDead({ members }: ShardTable, signal: AbortSignal): Promise<Set<MemberName>> {
    const dead = new Set<MemberName>();
    for (const member of members) {
      if (member === this.membership.name || this.#neighbours.freeIn(member) > 0) continue;
      if (await this.#neighbours.bury(member, this.#request(signal))) dead.add(member);
    }
    return dead;
  }

  /** Says whether the table is known to be `next` now. */
  async #write(
    stored: StoredTable,
    next: ShardTable,
    released: readonly number[],
    signal?: AbortSignal,
  ): Promise<boolean> {
    // As long as an earlier write may still arrive, another one is needed to make sure that it doesn't.
    const inDoubt = this.holdings.shards('doubtful').length > 0;
    if (next === stored.table && !inDoubt) return false;
    const { store, report } = this.#options;
    const table = { ...next, version: stored.table.version + 1 };
    try {
      this.#knowledge.heard(await store.replaceTable(stored, table, this.#request(signal)));
    } catch (error) {
      this.#mustAsk = true;
      if (!isConflict(error) && !isNotFound(error)) {
        if (!isRefusal(error)) this.holdings.doubt(released, stored.table.version);
        throw error;
      }
      this.#wakeUp();
      return false;
    }
    if (released.length > 0) report({ type: 'released', shards: released });
    return true;
  }

  /** Removes what is left of those who died or went. */
  async #tidyUp(signal: AbortSignal): Promise<void> {
    const members = this.table?.members ?? [];
    for (const name of this.#neighbours.names()) {
      const isStray = name !== this.membership.name && !members.includes(name);
      if (isStray && this.#neighbours.freeIn(name) === 0) await this.#neighbours.tidy(name, this.#request(signal));
    }
  }

  /** Hands everything over and goes. What doesn't end in time is left to run out. */
  async #leave(abort: AbortSignal): Promise<void> {
    const { clock, timing } = this.#options;
    while (this.membership.isAlive() && !abort.aborted) {
      this.#wake = new AbortController();
      this.holdings.giveAway(new Set(this.holdings.shards('held', 'draining', 'drained')));
      if (await this.#attempt('hand over the shards', () => this.#bequeath())) return;
      await pause(clock, timing.retryPeriod / 2, abort, this.#wake.signal);
    }
    this.membership.abandon();
  }

  async #bequeath(): Promise<boolean> {
    const request = this.#request();
    await this.#readTable(request);
    const { name } = this.membership;
    const { stored } = this.#knowledge;
    const released = this.holdings.shards('drained');
    const kept = new Set(this.holdings.shards('held', 'draining', 'doubtful'));
    const isWorthIt = released.length > 0 || kept.size === 0;
    if (stored) await this.#write(stored, isWorthIt ? bequeathed(stored.table, name, kept) : stored.table, released);
    if (this.table?.members.includes(name)) return false;
    await this.membership.end(request);
    return true;
  }

  #tableChanged({ before, now }: TableChange): void {
    if (before?.uid !== now?.uid) this.holdings.lose(new Error('the table of shards was deleted'));
    this.#missingSince = now ? undefined : (this.#missingSince ?? this.#options.clock.now());
    this.#adopt();
    if (before?.uid !== now?.uid || before?.table.version !== now?.table.version) this.#wakeUp();
  }

  #adopt(): void {
    const { stored } = this.#knowledge;
    const { name } = this.membership;
    if (!stored || !this.membership.isAlive()) return;
    if (stored.table.members.includes(name)) {
      this.#joinedUid = stored.uid;
      this.#joined.resolve();
    }
    this.holdings.adopt(stored.table.version, shardsOf(stored.table, name), stored.table.owners.length);
  }

  async #readTable(options: RequestOptions): Promise<void> {
    const asked = this.#knowledge.ask();
    this.#knowledge.answered(await this.#options.store.readTable(options), asked);
    this.#mustAsk = false;
  }

  #askAgain(): void {
    this.#mustAsk = true;
    this.#wakeUp();
  }

  #restFor(): number {
    const { timing, random } = this.#options;
    const others = this.table?.members.filter((member) => member !== this.membership.name) ?? [];
    const ends = [this.#tableFreeIn(), ...others.map((member) => this.#neighbours.freeIn(member))];
    // What is over already was just dealt with.
    const soonest = Math.min(...ends.filter((end) => end > 0));
    const byTurn = timing.retryPeriod * (1 + random() * 0.2);
    return Math.min(byTurn, Math.ceil(soonest) + timing.retryPeriod * random() * 0.1);
  }

  /** Milliseconds until nobody can think any more that there is a table. */
  #tableFreeIn(): number {
    const { timing, clock } = this.#options;
    this.#missingSince ??= this.#knowledge.stored ? undefined : clock.now();
    return this.#missingSince === undefined ? 0 : Math.max(0, this.#missingSince + timing.leaseDuration - clock.now());
  }

  #wakeUp(): void {
    this.#wake.abort();
  }

  #request(signal?: AbortSignal): RequestOptions {
    return { timeout: this.#options.timing.renewDeadline / 2, ...(signal ? { signal } : {}) };
  }

  async #attempt<R>(doing: string, act: () => Promise<R>): Promise<R | undefined> {
    try {
      return await act();
    } catch (error) {
      this.#options.report({ type: 'trouble', doing, error });
      return undefined;
    }
  }
}

/** The server said no: it surely did not do it. */
function isRefusal(error: unknown): boolean {
  return error instanceof ClientError && error.status !== undefined && error.status >= 400 && error.status < 500;
}
