/**
 * This replica's own Lease, by which others see that it lives. A membership that couldn't be kept up is resumed if nobody
 * has taken it away meanwhile; otherwise the replica joins again, under a new name: whoever took it away may not be done
 * with the old one.
 */
import { randomBytes } from 'node:crypto';
import { microTime, type RequestOptions } from '@kurator/client';
import type { Clock, Moment } from '../../clock.ts';
import { RuntimeError } from '../../error.ts';
import type { LeaseRecord, LeaseStore, StoredLease } from '../../leadership/lease-store.ts';
import { Term, type TermContext } from '../../leadership/term.ts';
import type { ElectionTiming } from '../../leadership/timing.ts';
import type { ShardingEvent } from '../sharding-event.ts';
import type { GroupStore } from './group-store.ts';
import type { MemberName } from './shard-table.ts';

export interface MembershipOptions {
  readonly store: GroupStore;
  readonly group: string;
  /** What names begin with. */
  readonly identity: string;
  readonly clock: Clock;
  readonly timing: ElectionTiming;
  /** Done before each renewal, which fails if it throws: a member that can't see the table must not go on. */
  confirm(options: RequestOptions): Promise<unknown>;
  onEnded(reason: unknown): void;
  report(event: Extract<ShardingEvent, { type: 'renewed' | 'trouble' }>): void;
}

export class Membership {
  readonly #options: MembershipOptions;
  #name: MemberName;
  #term: Term | undefined;
  /** The times of acquisition that we wrote: an answer may be lost after the write was done. */
  #claims = new Set<string>();

  constructor(options: MembershipOptions) {
    this.#options = options;
    this.#name = newName(options.identity);
  }

  get name(): MemberName {
    return this.#name;
  }

  /** Whether this replica surely is a member at this instant. */
  isAlive(): boolean {
    return this.#term?.isLeader() ?? false;
  }

  /** Milliseconds for which that holds without a further renewal. */
  remaining(): number {
    return this.#term?.remaining() ?? 0;
  }

  fence(): void {
    if (this.isAlive()) return;
    const message = `${this.#name} is not surely a member of ${this.#options.group} any more`;
    throw new RuntimeError('KUR_RUNTIME_NOT_OWNER', message, {
      remedy: 'let it join again, which it does by itself; look at the connection to the API server and its load',
      cause: this.#term?.signal.reason,
    });
  }

  /**
   * Begins a term.
   *
   * @param askedAt A moment before the table was last read: the term counts from then.
   */
  async begin(askedAt: Moment, options: RequestOptions): Promise<void> {
    const stored = (await this.#resumed(options)) ?? (await this.#joined(options));
    const { clock, timing, onEnded, report } = this.#options;
    const context: TermContext = {
      identity: this.#name,
      store: this.#confirming(),
      clock,
      timing,
      report: (event) => {
        if (event.type === 'trouble' || event.type === 'renewed') report(event);
      },
    };
    const term = new Term(context, stored, askedAt);
    this.#term = term;
    term.signal.addEventListener('abort', () => onEnded(term.signal.reason), { once: true });
    term.begin();
  }

  /** Ends it; others wait until the Lease runs out. */
  abandon(): void {
    this.#term?.abandon();
  }

  /** Ends it for good, and removes the Lease: this replica must own nothing any more. */
  async end(options: RequestOptions): Promise<void> {
    const { store } = this.#options;
    await this.#term?.release();
    const left = await store.member(this.#name).read(options);
    if (left) await store.removeMember(this.#name, left, options);
  }

  async #resumed(options: RequestOptions): Promise<StoredLease | undefined> {
    if (this.#claims.size === 0) return undefined;
    const lease = this.#options.store.member(this.#name);
    const found = await lease.read(options);
    const { holderIdentity, acquireTime = '' } = found?.record ?? {};
    if (!found || holderIdentity !== this.#name || !this.#claims.has(acquireTime)) return undefined;
    return await lease.replace(found, this.#claim(), options);
  }

  async #joined(options: RequestOptions): Promise<StoredLease> {
    this.#name = newName(this.#options.identity);
    this.#claims = new Set();
    return await this.#options.store.member(this.#name).create(this.#claim(), options);
  }

  #claim(): LeaseRecord {
    const { clock, timing } = this.#options;
    const now = microTime(clock.date());
    this.#claims.add(now);
    return {
      holderIdentity: this.#name,
      leaseDurationSeconds: timing.leaseDuration / 1000,
      leaseTransitions: 0,
      acquireTime: now,
      renewTime: now,
    };
  }

  #confirming(): LeaseStore {
    const { store, confirm } = this.#options;
    const lease = store.member(this.#name);
    return {
      ...lease,
      async replace(stored, record, options) {
        await confirm(options);
        return await lease.replace(stored, record, options);
      },
    };
  }
}

/** Fit to be part of a Lease's name. */
function newName(identity: string): MemberName {
  const base = identity
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 60);
  return `${base || 'replica'}-${randomBytes(4).toString('hex')}`;
}
