/** Lets a manager run what an operator's controllers declare, each in the stage that it belongs to. */
import type { KubernetesObject, ObjectReference } from '@kurator/client';
import type { Clock } from '../../clock.ts';
import { type Controller, createController } from '../../controller/controller.ts';
import { ownersOfKind } from '../../controller/mapping.ts';
import type { ControllerObserver } from '../../controller/observer.ts';
import type { ShardGate } from '../../controller/shard-gate.ts';
import { owned, type WatchedSource, watched } from '../../controller/source.ts';
import type { Duration } from '../../duration.ts';
import type { Manager } from '../../manager/manager.ts';
import type { Stage } from '../../manager/runnable.ts';
import { type CronOptions, createCron } from '../../schedules/cron.ts';
import { createDaemon } from '../../schedules/daemon.ts';
import type { Schedule, ScheduledWork, ScheduleOptions } from '../../schedules/schedule.ts';
import { rememberInAnnotation } from '../../schedules/schedule-memory.ts';
import { createTimer, type TimerOptions } from '../../schedules/timer.ts';
import type { ControllerDefinition, DeclaredSchedule, OperatorDefinition, WatchedKind } from '../definition.ts';
import { equipment } from './author-context.ts';
import { type ClusterScope, clusterScope, unfencedClusters } from './cluster-scope.ts';
import { type ControllerScope, openControllerScope } from './controller-scope.ts';
import { childrenPolicy, clusterOf, isReconciled, isRemote, isWatched } from './declared-kinds.ts';
import { referencesOf } from './lookups.ts';
import { notePrefix } from './own-writes.ts';
import { reconcileSteps } from './reconcile.ts';
import { ownerByAnnotation } from './remote-children.ts';
import { retainedChildren } from './retained-children.ts';

interface RegisterOptions {
  readonly name: string;
  readonly clusters: ReadonlyMap<string, ClusterScope>;
  /** Which objects are this replica's; all, while it leads, unless given. */
  readonly shard: ShardGate | undefined;
  readonly clock: Clock | undefined;
}

export function registerControllers(
  manager: Manager,
  { controllers }: OperatorDefinition,
  options: RegisterOptions,
): void {
  for (const definition of controllers.filter(isWatched)) {
    const { clusters } = options;
    const everywhere = { ...options, clusters: unfencedClusters(clusters), shard: undefined };
    if (definition.settings.everyReplica) register(manager, definition, everywhere, 'background');
    else register(manager, definition, options, options.shard ? 'background' : 'leader');
  }
}

function register(
  manager: Manager,
  definition: ControllerDefinition,
  { name: operator, clusters, shard, clock }: RegisterOptions,
  stage: Stage,
): void {
  const scope = openControllerScope(definition, { operator, clusters, logger: manager.logger, dryRun: false, clock });
  const observers = (name: string) => manager.observers(name, definition.type.kind);
  const controller = isReconciled(definition) ? controllerOf(scope, { observers, clock, shard }) : undefined;
  const wake = (reference: ObjectReference, after: Duration = 0) => controller?.enqueue(reference, { after });
  // Before the controller, which may need what it makes.
  const { namespaces } = scope.primary;
  for (const companion of definition.companions) manager.add(companion({ manager, namespaces, wake }), stage);
  if (controller) manager.addController(controller, stage);
  scope.schedules.push(...schedulesOf(scope, { observers, clock, shard }));
  for (const schedule of scope.schedules) {
    manager.metrics.controllers.show(schedule);
    manager.add(schedule, stage);
  }
  if (childrenPolicy(definition) === 'keep') manager.add(retainedChildren(scope, clock), 'leader');
}

interface Surroundings extends Pick<RegisterOptions, 'clock' | 'shard'> {
  /** Of a controller or a schedule of this name. */
  observers(name: string): readonly ControllerObserver[];
}

/** A controller that does what was declared; nothing happens before it is started. */
function controllerOf(scope: ControllerScope, { observers, clock, shard }: Surroundings): Controller {
  const { definition, cache, ownWrites } = scope;
  const { name, settings, kinds } = definition;
  const { concurrency, resync, timeout, backoff, retryRate, predicate } = settings;
  const given = { concurrency, resync, timeout, backoff, retryRate };
  const own = kinds.filter((kind) => kind.role === 'own' && !isRemote(definition, kind) && !kind.settings.shared);
  const controller = createController({
    name,
    for: cache,
    predicates: predicate ? [ownWrites.predicate, predicate] : [ownWrites.predicate],
    owns: own.map((kind) => owned(cacheOf(scope, kind), predicatesOf(kind))),
    watches: kinds.flatMap((kind) => watchedSource(scope, kind) ?? []),
    observers: observers(name),
    ...(clock ? { clock } : {}),
    ...(shard ? { shard } : {}),
    ...defined(given),
    ...reconcileSteps(scope),
  });
  ownWrites.onForeign = (reference) => controller.enqueue(reference);
  return controller;
}

/** Undefined for kinds whose changes cause nothing, or whose owner Kubernetes tells. */
function watchedSource(scope: ControllerScope, kind: WatchedKind): WatchedSource | undefined {
  const { definition, lookups } = scope;
  const { map } = kind;
  if (isRemote(definition, kind)) {
    return watched(cacheOf(scope, kind), ownerByAnnotation(definition.type), predicatesOf(kind));
  }
  if (kind.settings.shared) return watched(cacheOf(scope, kind), ownersOfKind(definition.type), predicatesOf(kind));
  if (!map) return undefined;
  const references = (changed: KubernetesObject) => {
    const { namespace } = changed.metadata;
    return referencesOf(map(changed, lookups.from(namespace)), definition.type, namespace);
  };
  return watched(cacheOf(scope, kind), references, predicatesOf(kind));
}

function cacheOf({ clusters }: ControllerScope, kind: WatchedKind) {
  return clusterScope(clusters, clusterOf(kind)).cache(kind.type, kind.settings);
}

function predicatesOf({ settings: { predicate } }: WatchedKind) {
  return predicate ? { predicates: [predicate] } : {};
}

function defined<O extends object>(options: O): Partial<{ [K in keyof O]: Exclude<O[K], undefined> }> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as never;
}

type AnyObject = KubernetesObject;

function schedulesOf(scope: ControllerScope, { observers, clock, shard }: Surroundings): Schedule[] {
  return scope.definition.schedules.map((declared) => {
    const name = scheduleName(scope, declared);
    const run: ScheduledWork<AnyObject> = (object, context) =>
      declared.run(object, { ...context, ...equipment(scope, object) });
    const given = { ...(clock ? { clock } : {}), ...(shard ? { shard } : {}) };
    return scheduleOf(scope, declared, { name, for: scope.cache, run, observers: observers(name), ...given });
  });
}

function scheduleOf(scope: ControllerScope, declared: DeclaredSchedule, common: ScheduleOptions<AnyObject>): Schedule {
  if (declared.sort === 'daemon') return createDaemon({ ...declared.settings, ...common });
  if (declared.sort === 'every') {
    return createTimer({ ...declared.settings, ...common, every: declared.when as TimerOptions<AnyObject>['every'] });
  }
  const { remember = true, ...settings } = declared.settings;
  const cron = declared.when as CronOptions<AnyObject>['cron'];
  const memory = remember ? { memory: memoryOf(scope, common.name) } : {};
  return createCron({ ...settings, ...common, cron, ...memory });
}

function memoryOf({ primary, cache, ownWrites }: ControllerScope, name: string) {
  return rememberInAnnotation(ownWrites.client(primary.client), cache.type, notePrefix + name);
}

/** For example `myapp-every`, or `myapp-every-2` for the second one that has no name of its own. */
function scheduleName({ definition }: ControllerScope, declared: DeclaredSchedule): string {
  if (declared.name) return `${definition.name}-${declared.name}`;
  const alike = definition.schedules.filter(({ sort, name }) => sort === declared.sort && !name);
  const place = alike.indexOf(declared);
  return `${definition.name}-${declared.sort}${place > 0 ? `-${place + 1}` : ''}`;
}
