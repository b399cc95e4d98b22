/** What controllers and their queues do, under the names and labels of controller-runtime 0.25: its dashboards work. */
import { type Clock, systemClock } from '../clock.ts';
import type { ControllerObserver, ControllerStatus, ReconcileEnd, ReconcileOutcome } from '../controller/observer.ts';
import type { ObjectKey } from '../object-key.ts';
import { Histogram } from './histogram.ts';
import type { MetricFamily, Sample } from './metric-family.ts';

const reconcileBounds = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 1.75, 2,
  2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];
// From ten nanoseconds to a quarter of an hour, tenfold each: what client-go chose.
const queueBounds = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 0.001, 0.01, 0.1, 1, 10, 100, 1000];

type Result = 'success' | 'requeue' | 'requeue_after' | 'error';

/** In which words controller-runtime would count it; being stopped is no result. */
const resultOf: Record<ReconcileOutcome, Result | undefined> = {
  success: 'success',
  requeue: 'requeue_after',
  conflict: 'requeue',
  error: 'error',
  permanent: 'error',
  timeout: 'error',
  stopped: undefined,
};

/** One controller's counts; handed to the controller as its observer. */
class Tally implements ControllerObserver {
  readonly results: Record<Result, number> = { error: 0, requeue_after: 0, requeue: 0, success: 0 };
  permanent = 0;
  timeouts = 0;
  stuck = 0;
  conflicts = 0;
  readonly waiting = new Histogram(queueBounds);
  readonly working = new Histogram(queueBounds);
  readonly reconciling = new Histogram(reconcileBounds);
  status: ControllerStatus | undefined;

  onReconcileStart(_: ObjectKey, waitedSeconds: number): void {
    this.waiting.observe(waitedSeconds);
  }

  onReconcileEnd(_: ObjectKey, { outcome, durationSeconds }: ReconcileEnd): void {
    this.working.observe(durationSeconds);
    this.reconciling.observe(durationSeconds);
    const result = resultOf[outcome];
    if (result) this.results[result]++;
    if (outcome === 'permanent') this.permanent++;
    else if (outcome === 'timeout') this.timeouts++;
    else if (outcome === 'conflict') this.conflicts++;
  }

  onReconcileStuck(): void {
    this.stuck++;
  }
}

export interface ControllerMetrics {
  /** Counts what the controller of this name does. */
  observer(controller: string): ControllerObserver;
  /** Shows a controller's queue too. */
  show(status: ControllerStatus): void;
  readonly families: readonly MetricFamily[];
}

export function controllerMetrics(clock: Clock = systemClock): ControllerMetrics {
  const tallies = new Map<string, Tally>();
  const tally = (name: string) => {
    const known = tallies.get(name) ?? new Tally();
    tallies.set(name, known);
    return known;
  };
  return {
    observer: tally,
    show(status) {
      tally(status.name).status = status;
    },
    families: [...reconcileFamilies(tallies), ...queueFamilies(tallies, clock)],
  };
}

function reconcileFamilies(tallies: ReadonlyMap<string, Tally>): MetricFamily[] {
  const family = familiesOf(tallies, (name) => ({ controller: name }));
  const { each, one } = family;
  return [
    each(
      'counter',
      'controller_runtime_reconcile_total',
      'Reconciliations per controller, by result',
      (labels, { results }) =>
        Object.entries(results).map(([result, value]) => ({ labels: { ...labels, result }, value })),
    ),
    one(
      'counter',
      'controller_runtime_reconcile_errors_total',
      'Reconciliations that failed',
      ({ results }) => results.error,
    ),
    one(
      'counter',
      'controller_runtime_terminal_reconcile_errors_total',
      'Reconciliations that failed and will not be tried again without a change',
      ({ permanent }) => permanent,
    ),
    one('counter', 'controller_runtime_reconcile_panics_total', 'Always 0: here a panic is an error', () => 0),
    one(
      'counter',
      'controller_runtime_reconcile_timeouts_total',
      'Reconciliations that took too long',
      ({ timeouts }) => timeouts,
    ),
    each(
      'histogram',
      'controller_runtime_reconcile_time_seconds',
      'How long reconciliations take',
      (labels, { reconciling }) => reconciling.samples(labels),
    ),
    one(
      'gauge',
      'controller_runtime_max_concurrent_reconciles',
      'How many reconciliations there may be at once',
      ({ status }) => status?.concurrency,
    ),
    one(
      'gauge',
      'controller_runtime_active_workers',
      'How many reconciliations run now',
      ({ status }) => status && count(status.running()),
    ),
    one(
      'counter',
      'kurator_reconcile_conflicts_total',
      'Reconciliations that met a newer write of another',
      ({ conflicts }) => conflicts,
    ),
    one(
      'counter',
      'kurator_reconcile_stuck_total',
      'Reconciliations that went on long after they were told to stop',
      ({ stuck }) => stuck,
    ),
  ];
}

function queueFamilies(tallies: ReadonlyMap<string, Tally>, clock: Clock): MetricFamily[] {
  const { each, one } = familiesOf(tallies, (name) => ({ name, controller: name }));
  const ages = ({ status }: Tally) =>
    status && Array.from(status.running(), ({ since }) => Math.max(0, clock.now() - since) / 1000);
  return [
    each('gauge', 'workqueue_depth', 'Keys that could be taken now, by priority', (labels, { status }) =>
      depths(labels, status),
    ),
    one('counter', 'workqueue_adds_total', 'Keys added', ({ status }) => status?.queue.adds),
    one('counter', 'workqueue_retries_total', 'Keys added with a delay', ({ status }) => status?.queue.retries),
    one('gauge', 'kurator_workqueue_delayed', 'Keys that wait for their time', ({ status }) => status?.queue.delayed),
    each(
      'histogram',
      'workqueue_queue_duration_seconds',
      'How long keys wait until they are taken',
      (labels, { waiting }) => waiting.samples(labels),
    ),
    each('histogram', 'workqueue_work_duration_seconds', 'How long keys are worked on', (labels, { working }) =>
      working.samples(labels),
    ),
    one('gauge', 'workqueue_unfinished_work_seconds', 'Seconds of work under way, together', (of) =>
      ages(of)?.reduce((sum, age) => sum + age, 0),
    ),
    one('gauge', 'workqueue_longest_running_processor_seconds', 'Seconds that the longest runs already', (of) =>
      ages(of)?.reduce((most, age) => Math.max(most, age), 0),
    ),
  ];
}

function depths(labels: Readonly<Record<string, string>>, status: ControllerStatus | undefined): Sample[] {
  if (!status) return [];
  const byPriority = status.queue.depthByPriority();
  // A series that comes and goes can't be told from one that was lost.
  const entries = byPriority.size > 0 ? [...byPriority] : [[0, 0] as const];
  return entries.map(([priority, value]) => ({ labels: { ...labels, priority: String(priority) }, value }));
}

type Labels = Readonly<Record<string, string>>;

/** Ways to write down families that have a part for each controller. */
function familiesOf(tallies: ReadonlyMap<string, Tally>, labelsOf: (name: string) => Labels) {
  type Type = MetricFamily['type'];
  const each = (type: Type, name: string, help: string, of: (labels: Labels, tally: Tally) => Iterable<Sample>) => ({
    type,
    name,
    help,
    *samples() {
      for (const [controller, tally] of tallies) yield* of(labelsOf(controller), tally);
    },
  });
  const one = (type: Type, name: string, help: string, of: (tally: Tally) => number | undefined) =>
    each(type, name, help, (labels, tally) => {
      const value = of(tally);
      return value === undefined ? [] : [{ labels, value }];
    });
  return { each, one };
}

function count(items: Iterable<unknown>): number {
  let counted = 0;
  for (const _ of items) counted++;
  return counted;
}
