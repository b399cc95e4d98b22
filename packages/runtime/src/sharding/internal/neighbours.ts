/** The other members: whether they live, and how those that don't are taken out of the way. */
import { isAlreadyExists, isConflict, microTime, type RequestOptions } from '@kurator/client';
import type { Clock } from '../../clock.ts';
import type { LeaseRecord, StoredLease } from '../../leadership/lease-store.ts';
import { LeaseObservation } from '../../leadership/observation.ts';
import { emptied } from '../../leadership/term.ts';
import type { GroupStore } from './group-store.ts';
import type { MemberName } from './shard-table.ts';

interface Neighbour {
  readonly observation: LeaseObservation;
  /** Clock.now() when it was first heard of. */
  readonly since: number;
}

export class Neighbours {
  readonly #store: GroupStore;
  readonly #clock: Clock;
  readonly #leaseDuration: number;
  readonly #known = new Map<MemberName, Neighbour>();

  constructor(store: GroupStore, clock: Clock, leaseDuration: number) {
    this.#store = store;
    this.#clock = clock;
    this.#leaseDuration = leaseDuration;
  }

  saw(name: MemberName, record: LeaseRecord | undefined): void {
    this.#of(name).observation.saw(record, this.#clock.now());
  }

  names(): MemberName[] {
    return [...this.#known.keys()];
  }

  forget(name: MemberName): void {
    this.#known.delete(name);
  }

  /** Whoever was cut off hasn't seen who lived meanwhile, and must not take those for dead who were cut off as well. */
  forgetAll(): void {
    this.#known.clear();
  }

  /** Whether it has been seen alive lately. */
  isAlive(name: MemberName): boolean {
    return this.#known.get(name)?.observation.record !== undefined && this.freeIn(name) > 0;
  }

  /**
   * Milliseconds until it can't think any more that it is a member. Counted from its last sign of life; where none was
   * ever seen, from when it was first heard of.
   */
  freeIn(name: MemberName): number {
    const { observation, since } = this.#of(name);
    const now = this.#clock.now();
    return observation.record ? observation.freeIn(now) : Math.max(0, since + this.#leaseDuration - now);
  }

  /**
   * Makes sure that a member which seems to be dead can't come back: empties its Lease, unless it was renewed after all.
   * From then on its renewals fail, and its time is over already.
   */
  async bury(name: MemberName, options: RequestOptions): Promise<boolean> {
    const lease = this.#store.member(name);
    const found = await lease.read(options);
    this.saw(name, found?.record);
    if (this.freeIn(name) > 0) return false;
    if (found && !found.record.holderIdentity) return true;
    try {
      const stored = found
        ? await lease.replace(found, this.#epitaph(found.record), options)
        : await lease.create(this.#epitaph(nobody), options);
      this.saw(name, stored.record);
      return true;
    } catch (error) {
      // It lives, or another was quicker: the next look will tell.
      if (isConflict(error) || isAlreadyExists(error)) return false;
      throw error;
    }
  }

  /** Removes what is left of one that isn't in the table, and doesn't live. */
  async tidy(name: MemberName, options: RequestOptions): Promise<void> {
    const found = await this.#store.member(name).read(options);
    this.saw(name, found?.record);
    if (found && this.freeIn(name) > 0) return;
    if (found) await this.#remove(name, found, options);
    this.forget(name);
  }

  async #remove(name: MemberName, found: StoredLease, options: RequestOptions): Promise<void> {
    try {
      await this.#store.removeMember(name, found, options);
    } catch (error) {
      if (!isConflict(error)) throw error;
    }
  }

  #epitaph(record: LeaseRecord): LeaseRecord {
    return emptied(record, microTime(this.#clock.date()));
  }

  #of(name: MemberName): Neighbour {
    let neighbour = this.#known.get(name);
    if (!neighbour) {
      neighbour = { observation: new LeaseObservation(this.#leaseDuration), since: this.#clock.now() };
      this.#known.set(name, neighbour);
    }
    return neighbour;
  }
}

const nobody: LeaseRecord = {
  holderIdentity: '',
  leaseDurationSeconds: 1,
  leaseTransitions: 0,
  acquireTime: '',
  renewTime: '',
};
