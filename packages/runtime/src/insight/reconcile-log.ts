/** Logs how reconciles end, with the object they were about and an id that all lines of one reconcile share. */
import { randomBytes } from 'node:crypto';
import type { ControllerObserver, ReconcileEnd, ReconcileOutcome } from '../controller/observer.ts';
import type { ObjectKey } from '../object-key.ts';
import type { Logger } from './late-logger.ts';

type Level = 'debug' | 'warn' | 'error';

const levels: Record<ReconcileOutcome, Level> = {
  success: 'debug',
  requeue: 'debug',
  conflict: 'debug',
  stopped: 'debug',
  error: 'warn',
  timeout: 'error',
  permanent: 'error',
};

const messages: Record<ReconcileOutcome, string> = {
  success: 'reconciled',
  requeue: 'reconciled, and will be again',
  conflict: 'somebody else wrote first: will be reconciled again',
  stopped: 'stopped while reconciling',
  error: 'reconcile failed: will be tried again',
  timeout: 'reconcile took too long: will be tried again',
  permanent: 'reconcile failed for good: waits for a change',
};

// Unique in this process by the count, among processes by chance: cheaper than a UUID each.
const processId = randomBytes(4).toString('hex');
let reconciles = 0;

/** An id for one reconcile. */
function nextReconcileId(): string {
  return `${processId}-${(++reconciles).toString(36)}`;
}

/** Logs what a controller does; successes only at level debug. */
export class ReconcileLog implements ControllerObserver {
  readonly #logger: Logger;
  readonly #ids = new Map<ObjectKey, string>();

  constructor(logger: Logger, controller: string, kind: string) {
    this.#logger = logger.child({ controller, kind });
  }

  /** For the lines that a reconcile under way wants to log itself. */
  of(key: ObjectKey): Logger {
    return this.#logger.child({ key, reconcileId: this.#idOf(key) });
  }

  onReconcileStart(): void {}

  onReconcileEnd(key: ObjectKey, { outcome, durationSeconds, error, againInSeconds }: ReconcileEnd): void {
    const level = levels[outcome];
    if (level !== 'debug' || this.#logger.isLevelEnabled?.('debug') !== false) {
      const fields = { key, reconcileId: this.#idOf(key), outcome, durationSeconds, againInSeconds };
      this.#logger[level](error === undefined ? fields : { ...fields, error }, messages[outcome]);
    }
    this.#ids.delete(key);
  }

  // Made when first needed: most reconciles log nothing.
  #idOf(key: ObjectKey): string {
    const id = this.#ids.get(key) ?? nextReconcileId();
    this.#ids.set(key, id);
    return id;
  }

  onReconcileStuck(key: ObjectKey): void {
    this.#logger.error(
      { key },
      'reconcile goes on long after it was told to stop: its object is not looked at until it ends',
    );
  }

  onSourceError(kind: string, error: unknown): void {
    this.#logger.error({ source: kind, error }, 'a predicate or mapping threw: the change counts');
  }
}
