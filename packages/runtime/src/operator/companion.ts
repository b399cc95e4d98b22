/** Something with a life of its own beside a controller: what it finds out has objects reconciled. */
import type { ObjectReference } from '@kurator/client';
import type { Duration } from '../duration.ts';
import type { Manager } from '../manager/manager.ts';
import type { Runnable } from '../manager/runnable.ts';

/** What a companion is given. */
export interface CompanionContext {
  /** What runs it: its caches, its metrics, its log. */
  readonly manager: Manager;
  /** The namespaces that the operator works in; all where undefined. */
  readonly namespaces: readonly string[] | undefined;
  /** Has an object reconciled for a reason that no cache knows; at once unless `after` is given. */
  wake(reference: ObjectReference, after?: Duration): void;
}

/** Makes what runs beside a controller, and where it runs: see `ControllerBuilder.beside`. Called once for each start. */
export type Companion = (context: CompanionContext) => Runnable;
