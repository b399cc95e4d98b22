import type { KubernetesObject, ObjectReference } from '@kurator/client';
import type { ObjectCache } from '../cache/object-cache.ts';
import { type Clock, systemClock } from '../clock.ts';
import { type Duration, parseDuration } from '../duration.ts';
import { RuntimeError } from '../error.ts';
import type { BackoffOptions } from '../queue/backoff.ts';
import type { TokenBucketOptions } from '../queue/token-bucket.ts';
import { controllerOfKind } from './mapping.ts';
import type { ControllerObserver } from './observer.ts';
import type { PermanentError } from './permanent-error.ts';
import type { Predicate } from './predicate.ts';
import type { Reconcile, ReconcileContext } from './reconcile.ts';
import type { ShardGate } from './shard-gate.ts';
import { everyOf, type OwnedSource, owned, type WatchedSource } from './source.ts';

/** What a controller is made of. Only the first three are needed. */
export interface ControllerOptions<T extends KubernetesObject> {
  /** What metrics, logs and errors call it; one of its own for each controller in a process. */
  name: string;
  /** The kind that is reconciled. */
  for: ObjectCache<T>;
  reconcile: Reconcile<T>;
  /**
   * Called for an object that is no longer there, instead of `reconcile`; retried like it. Without it such objects are
   * dropped. Deletions that happen while the controller doesn't run are never seen: whoever must not miss one uses a
   * finalizer.
   */
  deleted?: (reference: ObjectReference, context: ReconcileContext) => Promise<void> | void;
  /** Which changes of the object itself count; all of these must say so, and all changes count unless given. */
  predicates?: readonly Predicate<T>[];
  /** Kinds whose objects belong to reconciled ones by their controller owner reference: a change of a child counts. */
  owns?: readonly (ObjectCache<KubernetesObject> | OwnedSource)[];
  /** Any other kind, with whom its changes concern. */
  watches?: readonly WatchedSource[];
  /** How many objects are reconciled at once; from 1, and 8 unless given. */
  concurrency?: number;
  /** How long a reconcile may take before its signal fires; 5 minutes unless given, false for no limit. */
  timeout?: Duration | false;
  /**
   * How long after its last reconcile an object is reconciled again though nothing happened, so that what no event tells
   * is noticed one day; between 90 % and 110 % of it, lest all come at once. Never unless given.
   */
  resync?: Duration | false;
  /** How long an object whose reconcile fails is left alone. */
  backoff?: BackoffOptions;
  /** How many retries there may be of all objects together; 10 a second with a burst of 100 unless given, false for no limit. */
  retryRate?: TokenBucketOptions | false;
  /**
   * A reconcile threw a PermanentError: show it on the object. Runs as part of the reconcile; if it fails itself, the
   * whole is retried.
   */
  onPermanentError?: (object: T, error: PermanentError, context: ReconcileContext) => Promise<void> | void;
  /** Reads an object from the server into its cache; called after a conflict, so that the retry doesn't see the old one. */
  refresh?: (reference: ObjectReference, signal: AbortSignal) => Promise<unknown>;
  /**
   * Which objects are this replica's, where several replicas share them: those of others are not looked at. All are,
   * unless given.
   */
  shard?: ShardGate;
  observers?: readonly ControllerObserver[];
  clock?: Clock;
  /** Chance, for jitter; Math.random unless given. */
  random?: () => number;
}

/** The options with nothing left open. */
export interface ControllerSettings<T extends KubernetesObject> extends ControllerOptions<T> {
  predicate: Predicate<T>;
  others: readonly WatchedSource[];
  concurrency: number;
  /** Milliseconds. */
  timeout: number | false;
  resync: number | false;
  observers: readonly ControllerObserver[];
  clock: Clock;
  random: () => number;
}

const CONCURRENCY = 8;
const TIMEOUT = 300_000;

export function settle<T extends KubernetesObject>(options: ControllerOptions<T>): ControllerSettings<T> {
  const { name, timeout = TIMEOUT, resync = false, concurrency = CONCURRENCY, owns = [], watches = [] } = options;
  if (!name) throw invalid('a controller needs a name', 'give name a word such as "echo"');
  if (!Number.isInteger(concurrency) || concurrency < 1) {
    throw invalid(
      `controller ${name}: concurrency ${concurrency} is no number of workers`,
      'give a whole number from 1',
    );
  }
  const map = controllerOfKind(options.for.type);
  return {
    ...options,
    predicate: everyOf(options.predicates ?? []),
    others: [...owns.map((source) => ({ ...asSource(source), map })), ...watches],
    concurrency,
    timeout: timeout === false ? false : positive(timeout, name, 'timeout'),
    resync: resync === false ? false : positive(resync, name, 'resync'),
    observers: options.observers ?? [],
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
  };
}

function asSource(source: ObjectCache<KubernetesObject> | OwnedSource): OwnedSource {
  return 'predicate' in source ? source : owned(source);
}

function positive(duration: Duration, name: string, field: string): number {
  const milliseconds = parseDuration(duration, `controller ${name}: ${field}`);
  if (milliseconds > 0) return milliseconds;
  throw invalid(`controller ${name}: a ${field} of 0 makes no sense`, 'give false if there shall be none');
}

function invalid(message: string, remedy: string): RuntimeError {
  return new RuntimeError('KUR_RUNTIME_BAD_CONTROLLER', message, { remedy });
}
