/** What a manager starts and stops. */
import type { ResourceType } from '@kurator/client';
import type { Check } from '../insight/check.ts';
import type { Logger } from '../insight/late-logger.ts';

/**
 * When something is started; stopping goes the other way round. `webhook`s serve before caches are filled, since
 * filling them may need a conversion webhook; `leader`s run only in the process that leads, once all else is up.
 */
export const stages = ['webhook', 'cache', 'background', 'leader'] as const;

/** When something is started: webhooks first, what only a leader may do last. */
export type Stage = (typeof stages)[number];

/** What a runnable is given. */
export interface RunContext {
  /** Fires when it is time to end: begin nothing new, finish what was begun, then resolve. */
  readonly stop: AbortSignal;
  /** Fires when there is no time left, or the lead was lost: break off what is under way. Never before `stop`. */
  readonly abort: AbortSignal;
  /** Milliseconds from `stop` until `abort` will fire. */
  remaining(): number;
  readonly logger: Logger;
}

/** Something with a life of its own: a controller, a cache, a webhook server, a background task. */
export interface Runnable {
  readonly name: string;
  /** Lives until `stop` fires. Ending earlier is fine; throwing ends the manager. */
  run(context: RunContext): Promise<void>;
  /** Resolves when what is started later may count on it. At once unless given. */
  ready?(signal: AbortSignal): Promise<void>;
  /**
   * Whether objects of this type can be read only while others may call this: a conversion webhook's. The process counts as
   * ready before such a cache is filled, since nobody is sent to a pod that is not ready.
   */
  isNeededToRead?(type: ResourceType): boolean;
  /** Whether it lives: a reason not to makes the kubelet restart the process. */
  health?: Check['check'];
  /** Whether it does what others count on: a reason not to takes the process out of Services. */
  readiness?: Check['check'];
}
