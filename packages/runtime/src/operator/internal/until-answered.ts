/** Patience with an API server that is not there yet. */
import { hasCode } from '@kurator/client';
import type { Clock } from '../../clock.ts';
import { pause } from '../../pause.ts';

/** How it is waited. */
export interface Waiting {
  readonly stop: AbortSignal;
  readonly clock: Clock;
  /** Told of each failure that is not the end of it. */
  onTrouble(error: Error): void;
}

const FIRST_PAUSE = 1_000;
const LONGEST_PAUSE = 5_000;

/**
 * Tries again as long as the API server is away. To end for that would help nobody: the kubelet starts a program that ends
 * ever more slowly, so that it would still be missing for minutes after the server has come back.
 */
export async function untilAnswered<T>(attempt: () => Promise<T>, { stop, clock, onTrouble }: Waiting): Promise<T> {
  for (let wait = FIRST_PAUSE; ; wait = Math.min(LONGEST_PAUSE, wait * 2)) {
    try {
      return await attempt();
    } catch (error) {
      if (stop.aborted || !isAway(error)) throw error;
      onTrouble(error);
      await pause(clock, wait, stop);
    }
  }
}

const passing = ['KUR_CLIENT_UNREACHABLE', 'KUR_CLIENT_TIMEOUT', 'KUR_CLIENT_SERVER'] as const;

function isAway(error: unknown): error is Error {
  return passing.some((code) => hasCode(error, code));
}
