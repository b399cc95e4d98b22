/** What operators run on: cache, queue, controller, writing, leadership, manager, events, insight. Each part works alone. */
export { type CacheOptions, type CacheState, Caches, createCache, type RunnableCache } from './cache/cache.ts';
export type { CacheChange, CacheListener, CacheQuery, ObjectCache } from './cache/object-cache.ts';
export type { IndexFunction } from './cache/object-table.ts';
export { type Clock, type ClockTimer, systemClock } from './clock.ts';
export { type Controller, type ControllerState, createController } from './controller/controller.ts';
export type { ControllerOptions } from './controller/controller-options.ts';
export type { MapFunction } from './controller/mapping.ts';
export type { ControllerObserver, ControllerStatus, ReconcileEnd, ReconcileOutcome } from './controller/observer.ts';
export { PermanentError, type PermanentErrorOptions } from './controller/permanent-error.ts';
export {
  allOf,
  annotationsChanged,
  anyOf,
  generationChanged,
  labelsChanged,
  not,
  type Predicate,
} from './controller/predicate.ts';
export type { Reconcile, ReconcileContext, ReconcileResult } from './controller/reconcile.ts';
export { type OwnedSource, owned, type SourceOptions, type WatchedSource, watched } from './controller/source.ts';
export { type Duration, formatDuration, parseDuration } from './duration.ts';
export { RuntimeError, type RuntimeErrorCode, type RuntimeErrorOptions } from './error.ts';
export {
  createEventRecorder,
  type EventRecorder,
  type EventRecorderOptions,
  type EventStatistics,
} from './events/event-recorder.ts';
export type { Happening } from './events/happening.ts';
export { createLogger, type LoggerOptions, type LogLevel } from './insight/logger.ts';
export { createMetrics, type MetricSources, type Metrics, type ShownCache } from './insight/metrics.ts';
export {
  createLeaderElection,
  type ElectionState,
  type LeaderElection,
  type LeaderElectionOptions,
} from './leadership/election.ts';
export { fencedClient } from './leadership/fenced-client.ts';
export type { ElectionEvent, Leadership } from './leadership/leadership.ts';
export type { ElectionTimingOptions } from './leadership/timing.ts';
export type { Check, CheckReport, CheckResult, Verdict } from './manager/check.ts';
export { createManager, type Manager, type ManagerOptions } from './manager/manager.ts';
export type { RunContext, Runnable, Stage } from './manager/runnable.ts';
export { keyFor, keyOf, type ObjectKey, referenceOf } from './object-key.ts';
export { Priority } from './queue/priority.ts';
export type { FailingItem, QueuedItem, QueueStatistics, RunningItem } from './queue/queue-statistics.ts';
export { type TakenItem, WorkQueue, type WorkQueueOptions } from './queue/work-queue.ts';
export { type ConditionClaim, conditionOf, setCondition } from './writing/condition.ts';
export { declarationOf, managedByLabel } from './writing/declaration.ts';
export {
  type CleanupResult,
  type DeclarativeContext,
  type DeclarativeOptions,
  type DeclarativeParts,
  type DeclarativeResult,
  declarative,
} from './writing/declarative.ts';
export { hasFinalizer } from './writing/finalizer.ts';
export type { Apply, ApplyOptions, WriteOptions } from './writing/write-options.ts';
export { createWriter, type WriteCounts, type Writer, type WriterOptions } from './writing/writer.ts';
