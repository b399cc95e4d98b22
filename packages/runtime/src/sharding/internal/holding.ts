import { AsyncLocalStorage } from 'node:async_hooks';
import type { Client } from '@kurator/client';
import type { ShardHold } from '../../controller/shard-gate.ts';
import { RuntimeError } from '../../error.ts';
import { type WriteRight, withGuardedWrites } from '../../leadership/fenced-client.ts';

/**
 * One shard that this replica owns, by the table.
 *
 *   held ──► draining ──► drained ──► (written into the table) ──► ended
 *    ▲          │            │ ▲
 *    └── plans changed ──────┘ │ the table is seen to be newer, and it is still ours
 *                       doubtful: a write that gives it away was sent, and not answered
 */
export type HoldingPhase = 'held' | 'draining' | 'drained' | 'doubtful' | 'ended';

/** This replica, as far as what it holds depends on it. */
export interface Member {
  /** Throws unless it is surely a member at this instant. */
  fence(): void;
  /** Milliseconds for which it is, if it can't renew. */
  remaining(): number;
}

export class Holding implements ShardHold {
  readonly shard: number;
  readonly #ending = new AbortController();
  readonly #member: Member;
  phase: HoldingPhase = 'held';
  /** Ends what is under way, when draining takes too long; each time that it is drained has one of its own. */
  draining: AbortController | undefined;
  /** Of the table, when a write that gives it away was sent. */
  doubtedAt = 0;
  /** Clock.now() before which it is not drained again. */
  keptUntil = 0;

  constructor(shard: number, member: Member) {
    this.shard = shard;
    this.#member = member;
  }

  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  fence(): void {
    this.#member.fence();
    if (this.phase === 'held' || this.phase === 'draining') return;
    throw this.signal.aborted ? this.signal.reason : handedOver(this.shard);
  }

  remaining(): number {
    return this.#member.remaining();
  }

  run<R>(work: () => R): R {
    return current.run(this, work);
  }

  /** It is another's now, as was meant. */
  end(): void {
    this.phase = 'ended';
  }

  /** It was lost: what is under way must break off. */
  lose(reason: unknown): void {
    this.phase = 'ended';
    this.#ending.abort(reason);
  }
}

function handedOver(shard: number): RuntimeError {
  return new RuntimeError('KUR_RUNTIME_NOT_OWNER', `shard ${shard} is handed over to another replica`);
}

/** Under which right the code that asks is running: so that one client can serve all keys, and be fenced for each. */
const current = new AsyncLocalStorage<Required<WriteRight>>();

/**
 * The same client. What it is asked to write under a right is refused once that has ended, and given up, with all its
 * retries, when the right would end by itself. Reads are anyone's, and so is what is written under no right.
 */
export function heldClient(client: Client): Client {
  return withGuardedWrites(client, () => current.getStore());
}
