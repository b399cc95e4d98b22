import type { RuntimeError } from '../error.ts';

/**
 * One term of leading, from the election to its end. It ends by being given back, by being lost to another, or by
 * itself when it can't be renewed: always before another could take over, by this machine's clocks, also when the
 * process was frozen or the machine slept in between. Once ended it stays ended.
 */
export interface Leadership {
  readonly identity: string;
  /** The Lease's count of changes of hands: grows from leader to leader, as long as nobody deletes the Lease. */
  readonly term: number;
  /** Fires when it ends; the reason says why. A timer does that: after a freeze, `fence` knows sooner. */
  readonly signal: AbortSignal;
  /** Whether it surely goes on at this instant. Looks at the clocks, not at the network: cheap enough for every write. */
  isLeader(): boolean;
  /** Throws the reason why it ended, if it has: call it right before each act that only a leader may do. */
  fence(): void;
  /** Milliseconds for which it goes on without a further renewal; a good timeout for an act. 0 after its end. */
  remaining(): number;
  /** Ends it and gives the lease back, so that another can take over at once. Stop acting before you call it. */
  release(): Promise<void>;
  /** Ends it without giving the lease back: others wait until it runs out. For when something may still be acting. */
  abandon(): void;
}

/** What happens in an election, for logs, metrics and events. */
export type ElectionEvent =
  | { readonly type: 'elected'; readonly leadership: Leadership }
  | { readonly type: 'renewed' }
  /** `lost`: without having been asked to end. */
  | { readonly type: 'ended'; readonly lost: boolean; readonly reason: RuntimeError }
  /** Someone else was seen to hold the lease; an empty identity: nobody. */
  | { readonly type: 'holder'; readonly identity: string }
  /** A request failed; it is tried again. */
  | { readonly type: 'trouble'; readonly doing: string; readonly error: unknown };
