/** Looks at the lease until it can be taken, and takes it. */
import { isAlreadyExists, isConflict, microTime } from '@kurator/client';
import { moment, pause } from '../clock.ts';
import type { LeaseRecord, StoredLease } from './lease-store.ts';
import { LeaseObservation } from './observation.ts';
import { emptied, Term, type TermContext } from './term.ts';
import { JITTER } from './timing.ts';

export class Campaign {
  readonly #context: TermContext;
  readonly #random: () => number;
  readonly #observation: LeaseObservation;
  /** The time of acquisition that we wrote last: an answer may be lost after the write was done. */
  #claimed: string | undefined;
  #seenHolder: string | undefined;
  /** Ends the rest between two looks. */
  #wake = new AbortController();

  constructor(context: TermContext, random: () => number) {
    this.#context = context;
    this.#random = random;
    this.#observation = new LeaseObservation(context.timing.leaseDuration);
  }

  async won(signal?: AbortSignal): Promise<Term> {
    const over = new AbortController();
    const either = signal ? AbortSignal.any([signal, over.signal]) : over.signal;
    let watching: Promise<void> | undefined;
    try {
      for (;;) {
        const term = await this.#attempt(either);
        if (term) return term;
        watching ??= this.#watch(either);
        await this.#rest(either);
        either.throwIfAborted();
      }
    } finally {
      over.abort();
      await watching;
    }
  }

  async #attempt(signal: AbortSignal): Promise<Term | undefined> {
    try {
      return await this.#look(signal);
    } catch (error) {
      signal.throwIfAborted();
      // Another was quicker: no trouble, just not our turn.
      if (!isConflict(error) && !isAlreadyExists(error)) {
        this.#context.report({ type: 'trouble', doing: 'campaign for the lease', error });
      }
      return undefined;
    }
  }

  async #look(signal: AbortSignal): Promise<Term | undefined> {
    const { store, clock, timing } = this.#context;
    const options = { timeout: timing.renewDeadline / 2 };
    const found = await store.read({ ...options, signal });
    this.#saw(found?.record);
    if (!this.#mayTake(found)) return undefined;
    signal.throwIfAborted();
    const sentAt = moment(clock);
    const claim = this.#claim();
    this.#claimed = claim.acquireTime;
    // Not cut short by the signal: what was sent may be done, and would keep everybody else out until it runs out.
    const stored = await (found ? store.replace(found, claim, options) : store.create(claim, options));
    if (!signal.aborted) return new Term(this.#context, stored, sentAt);
    await store.replace(stored, emptied(stored.record, microTime(clock.date())), options);
    throw signal.reason;
  }

  #mayTake(found: StoredLease | undefined): boolean {
    if (found && this.#isOurClaim(found.record)) return true;
    return this.#observation.freeIn(this.#context.clock.now()) === 0;
  }

  #isOurClaim({ holderIdentity, acquireTime }: LeaseRecord): boolean {
    return holderIdentity === this.#context.identity && acquireTime === this.#claimed;
  }

  #claim(): LeaseRecord {
    const { identity, clock, timing } = this.#context;
    const now = microTime(clock.date());
    const before = this.#observation.record;
    return {
      holderIdentity: identity,
      leaseDurationSeconds: timing.leaseDuration / 1000,
      leaseTransitions: before ? before.leaseTransitions + 1 : 0,
      acquireTime: now,
      renewTime: now,
    };
  }

  #saw(record: LeaseRecord | undefined): void {
    const { clock, report } = this.#context;
    this.#observation.saw(record, clock.now());
    const holder = record?.holderIdentity ?? '';
    if (holder === this.#seenHolder) return;
    this.#seenHolder = holder;
    report({ type: 'holder', identity: holder });
  }

  /** Until the next look, or until the watch says that the lease was given back. */
  async #rest(signal: AbortSignal): Promise<void> {
    const { clock, timing } = this.#context;
    const byTurn = timing.retryPeriod * (1 + this.#random() * JITTER);
    const freeIn = this.#observation.freeIn(clock.now());
    // Spread a little, lest all candidates reach for it in the same instant. What is free already was just tried.
    const byExpiry = freeIn > 0 ? Math.ceil(freeIn) + timing.retryPeriod * this.#random() * 0.1 : byTurn;
    this.#wake = new AbortController();
    await pause(clock, Math.min(byTurn, byExpiry), signal, this.#wake.signal);
  }

  /** Best effort: without the right to watch, or while the connection is down, looking now and then has to do. */
  async #watch(signal: AbortSignal): Promise<void> {
    const { clock, timing, store } = this.#context;
    while (!signal.aborted) {
      try {
        for await (const record of store.changes(signal)) {
          if (record) this.#observation.saw(record, clock.now());
          if (record && !record.holderIdentity) this.#wake.abort();
        }
      } catch {
        // The next look will say what is wrong, if it is worth saying.
      }
      await pause(clock, timing.retryPeriod, signal);
    }
  }
}
