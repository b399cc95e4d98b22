/** What operators run on: cache, queue, controller, writing, leadership, manager, events, insight. Each part works alone. */
export {
  type CacheOptions,
  type CacheState,
  Caches,
  createCache,
  type RunnableCache,
} from './cache/cache.ts';
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
// Schedules: timers, cron and daemons for each object; and which keys are whose, where replicas share them.
export type { ShardGate, ShardHold, ShardListener } from './controller/shard-gate.ts';
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
export type { Check, CheckReport, CheckResult, Verdict } from './insight/check.ts';
export { Histogram } from './insight/histogram.ts';
export type { Logger } from './insight/late-logger.ts';
export { createLogger, type LoggerOptions, type LogLevel } from './insight/logger.ts';
export type { MetricFamily, Sample } from './insight/metric-family.ts';
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
export { createManager, type HttpOptions, type Manager, type ManagerOptions } from './manager/manager.ts';
export type { RunContext, Runnable, Stage } from './manager/runnable.ts';
export { keyFor, keyOf, type ObjectKey, referenceOf } from './object-key.ts';
export {
  type AuthorContext,
  type AuthorResult,
  type CleanupFunction,
  type CleanupResult,
  type Companion,
  type CompanionContext,
  type EventDetails,
  type Log,
  type MutateFunction,
  type ReconcileFunction,
  requeue,
  type StatusFields,
  type TellEvent,
  type ValidateFunction,
} from './operator/author.ts';
export { type Child, type ChildOptions, type Children, type ChildSettings, child } from './operator/child.ts';
export { ChildrenError, type FailedChild } from './operator/children-error.ts';
export { operator } from './operator/declare-operator.ts';
export type { ClusterAccess } from './operator/definition.ts';
export type { DryRunOptions } from './operator/dry-run/dry-run.ts';
export { diff, type FieldChange, fieldChanges, fieldChangeText } from './operator/dry-run/field-changes.ts';
export type { DryRunFailure, DryRunReport, PlannedChange, PlannedEvent } from './operator/dry-run/report.ts';
export type { OperatorFacts } from './operator/facts.ts';
export { type InstallOptions, installCrds } from './operator/install-crds.ts';
export type { Concerned, ConcernedBy, ListQuery, Lookup, LookupOptions } from './operator/lookup.ts';
export type { ControllerBuilder, Operator } from './operator/operator.ts';
export type {
  InstallPolicy,
  OperatorOptions,
  ShardingSettings,
  StartOptions,
  WebhookSettings,
} from './operator/operator-options.ts';
export type { Permissions } from './operator/permissions.ts';
export { rolloutCondition } from './operator/rollout.ts';
export type { RunOptions } from './operator/run.ts';
export type {
  CronSettings,
  DaemonSettings,
  EverySettings,
  ScheduledContext,
  ScheduledFunction,
} from './operator/scheduling.ts';
export type {
  CacheChoice,
  ControllerSettings,
  LabelChoice,
  OwnSettings,
  WatchSettings,
} from './operator/settings.ts';
export type { RunningOperator } from './operator/start.ts';
export { Priority } from './queue/priority.ts';
export type { FailingItem, QueuedItem, QueueStatistics, RunningItem } from './queue/queue-statistics.ts';
export { type TakenItem, WorkQueue, type WorkQueueOptions } from './queue/work-queue.ts';
export { withoutSecrets } from './redaction.ts';
export { type CronOptions, createCron, type MissedPolicy, type OverlapPolicy } from './schedules/cron.ts';
export { createDaemon, type DaemonOptions } from './schedules/daemon.ts';
export type {
  Schedule,
  ScheduleContext,
  ScheduledWork,
  ScheduleObserver,
  ScheduleOptions,
  TickingOptions,
} from './schedules/schedule.ts';
export { rememberInAnnotation, type ScheduleMemory } from './schedules/schedule-memory.ts';
export { createTimer, type TimerOptions } from './schedules/timer.ts';
export { shardOf } from './sharding/shard-of.ts';
export { createSharding, type Sharding, type ShardingOptions, type ShardingState } from './sharding/sharding.ts';
export type { ShardingEvent } from './sharding/sharding-event.ts';
export type {
  AdmissionCall,
  AdmissionOperation,
  AdmissionOptions,
  AdmissionUser,
  MatchExpression,
  MutateHandler,
  MutateOptions,
  Objections,
  ValidateHandler,
} from './webhooks/admission.ts';
export type { Conversions, Converted, VersionConversion } from './webhooks/conversion.ts';
export { Denial, type DenialReason, deny, forbid } from './webhooks/denial.ts';
export type {
  CertificateFolder,
  OwnCertificates,
  ServiceAddress,
  UrlAddress,
  WebhookAddress,
  WebhooksOptions,
} from './webhooks/options.ts';
export { createWebhooks, type Webhooks } from './webhooks/webhooks.ts';
export { type ConditionClaim, conditionOf, setCondition } from './writing/condition.ts';
export { declarationOf, managedByLabel } from './writing/declaration.ts';
export { hasFinalizer } from './writing/finalizer.ts';
export { checksum } from './writing/json.ts';
export type { Adopt, Apply, ApplyOptions, WriteOptions } from './writing/write-options.ts';
export { createWriter, type WriteCounts, type Writer, type WriterOptions } from './writing/writer.ts';
