import { isAlreadyExists, isConflict, isNotFound, microTime, type RequestOptions } from '@kurator/client';
import { type Clock, type ClockTimer, longestSince, type Moment, moment, pause } from '../clock.ts';
import { RuntimeError } from '../error.ts';
import type { ElectionEvent, Leadership } from './leadership.ts';
import type { LeaseRecord, LeaseStore, StoredLease } from './lease-store.ts';
import type { ElectionTiming } from './timing.ts';

/** What an election lends to its terms. */
export interface TermContext {
  readonly identity: string;
  readonly store: LeaseStore;
  readonly clock: Clock;
  readonly timing: ElectionTiming;
  report(event: ElectionEvent): void;
}

/**
 * A term begins with a write that was answered, and lives on by further ones. Each counts from the moment before it
 * was sent: the server can't have seen it earlier, nor can anyone who waits for the lease to run out.
 */
export class Term implements Leadership {
  readonly #context: TermContext;
  readonly #ending = new AbortController();
  #stored: StoredLease;
  #renewedAt: Moment;
  #expiry: ClockTimer;
  #renewals: Promise<void> = Promise.resolve();

  constructor(context: TermContext, stored: StoredLease, sentAt: Moment) {
    this.#context = context;
    this.#stored = stored;
    this.#renewedAt = sentAt;
  }

  /** Begins to renew. Not in the constructor, so that whoever hears of an end has heard of the beginning. */
  begin(): void {
    this.#watchExpiry();
    this.#renewals = this.#keepRenewing();
  }

  get identity(): string {
    return this.#context.identity;
  }

  get term(): number {
    return this.#stored.record.leaseTransitions;
  }

  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  isLeader(): boolean {
    if (this.signal.aborted) return false;
    if (this.#left() > 0) return true;
    this.#expire();
    return false;
  }

  fence(): void {
    if (!this.isLeader()) throw this.signal.reason;
  }

  remaining(): number {
    return this.isLeader() ? this.#left() : 0;
  }

  abandon(): void {
    this.#end(false, released('this process stopped leading; its lease will run out'));
  }

  async release(): Promise<void> {
    if (!this.isLeader()) return;
    this.#end(false, released('this process stopped leading and gave its lease back'));
    // One of them may be under way, and would conflict with what follows.
    await this.#renewals;
    try {
      await this.#write(emptied(this.#stored.record, this.#time()), { timeout: this.#context.timing.renewDeadline });
    } catch (error) {
      this.#context.report({ type: 'trouble', doing: 'give the lease back', error });
    }
  }

  /**
   * One after the other, without waiting for the answers: on a connection that swallows everything the next one takes
   * another connection, and on a slow server the first one may still be answered in time.
   */
  async #keepRenewing(): Promise<void> {
    const { clock, timing } = this.#context;
    const underway = new Set<Promise<void>>();
    for (;;) {
      await pause(clock, timing.retryPeriod, this.signal);
      if (!this.isLeader()) break;
      const renewal = this.#renew().finally(() => underway.delete(renewal));
      underway.add(renewal);
    }
    await Promise.all(underway);
  }

  async #renew(): Promise<void> {
    const { clock, report } = this.#context;
    const sentAt = moment(clock);
    try {
      const record = { ...this.#stored.record, renewTime: this.#time() };
      await this.#write(record, { timeout: this.#left(), signal: this.signal });
    } catch (error) {
      if (!this.signal.aborted) report({ type: 'trouble', doing: 'renew the lease', error });
      return;
    }
    // An answer that comes too late proves nothing: the lease may have been taken since.
    if (!this.isLeader()) return;
    if (sentAt.now > this.#renewedAt.now) this.#renewedAt = sentAt;
    report({ type: 'renewed' });
  }

  /** Writes over the record that is known; where that isn't the server's any more, finds out whether it is still ours. */
  async #write(record: LeaseRecord, options: RequestOptions): Promise<void> {
    const { store } = this.#context;
    try {
      this.#stored = await store.replace(this.#stored, record, options);
    } catch (error) {
      if (!isConflict(error) && !isNotFound(error)) throw error;
      const found = await store.read(options);
      if (found && !this.#isOurs(found.record)) return this.#taken(found.record);
      this.#stored = await (found ? store.replace(found, record, options) : this.#restore(record, options));
    }
  }

  /** Someone deleted the Lease: whoever creates it first has it. */
  async #restore(record: LeaseRecord, options: RequestOptions): Promise<StoredLease> {
    try {
      return await this.#context.store.create(record, options);
    } catch (error) {
      if (isAlreadyExists(error)) this.#taken(undefined);
      throw error;
    }
  }

  // The same identity with another time of acquisition is another process that was given the same name.
  #isOurs({ holderIdentity, acquireTime }: LeaseRecord): boolean {
    return holderIdentity === this.identity && acquireTime === this.#stored.record.acquireTime;
  }

  /** Now, as the Lease wants it, and never what it says already: others take an unchanged record for a dead holder. */
  #time(): string {
    const date = this.#context.clock.date();
    const time = microTime(date);
    return time === this.#stored.record.renewTime ? microTime(date + 0.001) : time;
  }

  #left(): number {
    return this.#context.timing.renewDeadline - longestSince(this.#context.clock, this.#renewedAt);
  }

  #watchExpiry(): void {
    if (!this.isLeader()) return;
    this.#expiry = this.#context.clock.setTimeout(() => this.#watchExpiry(), Math.ceil(this.#left()));
  }

  #expire(): void {
    const seconds = this.#context.timing.renewDeadline / 1000;
    this.#end(true, lost(`the lease could not be renewed for ${seconds} s`));
  }

  #taken(by: LeaseRecord | undefined): void {
    const who = by?.holderIdentity ? `${by.holderIdentity} has taken it` : 'it was taken away';
    this.#end(true, lost(`the lease is no longer ours: ${who}`));
  }

  #end(isLost: boolean, reason: RuntimeError): void {
    if (this.signal.aborted) return;
    this.#context.clock.clearTimeout(this.#expiry);
    this.#ending.abort(reason);
    this.#context.report({ type: 'ended', lost: isLost, reason });
  }
}

/** Given back. The short duration is for those who don't look at the holder. */
export function emptied(record: LeaseRecord, now: string): LeaseRecord {
  return { ...record, holderIdentity: '', leaseDurationSeconds: 1, acquireTime: now, renewTime: now };
}

function lost(message: string): RuntimeError {
  return new RuntimeError('KUR_RUNTIME_LEADERSHIP_LOST', `leadership lost: ${message}`, {
    remedy: 'end the process and let a new one campaign; look at the connection to the API server and its load',
  });
}

function released(message: string): RuntimeError {
  return new RuntimeError('KUR_RUNTIME_LEADERSHIP_RELEASED', message);
}
