/** One pass over one Kurator, as far as every room knows it: the healer's own pass has more. */
import type { AuthorContext } from '@kurator/sdk';
import type { Millis } from '../brain/time.ts';
import { Kurator } from '../resources/kurator.ts';
import type { Index } from '../resources/lookup.ts';
import { fieldManager } from '../resources/ownership.ts';
import type { ServiceMemory } from './service-memory.ts';

/** What a reconcile is given. */
export type Context = AuthorContext<Index>;

/** A Kurator that is being looked after. */
export interface Pass {
  readonly memory: ServiceMemory;
  /** As it is now, our own last write included. */
  readonly kurator: Kurator;
  readonly context: Context;
  readonly now: Millis;
}

/** What a Kurator's status is written with. */
export function toolsOf({ context, now }: Pick<Pass, 'context' | 'now'>) {
  return { client: context.client, type: Kurator, fieldManager, signal: context.signal, now };
}
