/**
 * Who may run now. No more than `total` at once, no more than `perHost` on one host, and where some must wait, hosts
 * take turns: a host whose checks all hang can't keep those of the others waiting.
 */

/** How many may run at once. */
export interface GateLimits {
  readonly total: number;
  readonly perHost: number;
}

/** One host's share; made by {@link FairGate.laneFor}. */
export interface Lane<T> {
  readonly host: string;
  members: number;
  running: number;
  readonly waiting: T[];
  /** It is among those that take turns. */
  inTurn: boolean;
}

export class FairGate<T> {
  readonly #limits: GateLimits;
  readonly #lanes = new Map<string, Lane<T>>();
  /** Lanes with someone waiting who may go as soon as there is room at all. */
  readonly #turns: Lane<T>[] = [];
  #running = 0;
  #waiting = 0;

  constructor(limits: GateLimits) {
    this.#limits = limits;
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** The host's lane, which is kept until as many left it by {@link FairGate.quit} as joined it. */
  laneFor(host: string): Lane<T> {
    let lane = this.#lanes.get(host);
    if (!lane) {
      lane = { host, members: 0, running: 0, waiting: [], inTurn: false };
      this.#lanes.set(host, lane);
    }
    lane.members++;
    return lane;
  }

  quit(lane: Lane<T>): void {
    lane.members--;
    if (lane.members === 0) this.#lanes.delete(lane.host);
  }

  /** True: go. False: it waits, and {@link FairGate.next} gives it out when there is room. */
  enter(lane: Lane<T>, item: T): boolean {
    if (this.#turns.length === 0 && lane.waiting.length === 0 && this.#hasRoom(lane)) {
      this.#admit(lane);
      return true;
    }
    lane.waiting.push(item);
    this.#waiting++;
    this.#takeTurns(lane);
    return false;
  }

  /** One that went has ended. */
  leave(lane: Lane<T>): void {
    this.#running--;
    lane.running--;
    this.#takeTurns(lane);
  }

  /** Who goes next, of those who waited; undefined when nobody may. */
  next(): T | undefined {
    while (this.#running < this.#limits.total) {
      const lane = this.#turns.shift();
      if (!lane) return undefined;
      lane.inTurn = false;
      if (lane.running >= this.#limits.perHost) continue;
      const item = lane.waiting.shift();
      if (item === undefined) continue;
      this.#waiting--;
      this.#admit(lane);
      this.#takeTurns(lane);
      return item;
    }
    return undefined;
  }

  #hasRoom(lane: Lane<T>): boolean {
    return this.#running < this.#limits.total && lane.running < this.#limits.perHost;
  }

  #admit(lane: Lane<T>): void {
    this.#running++;
    lane.running++;
  }

  #takeTurns(lane: Lane<T>): void {
    if (lane.inTurn || lane.waiting.length === 0 || lane.running >= this.#limits.perHost) return;
    lane.inTurn = true;
    this.#turns.push(lane);
  }
}
