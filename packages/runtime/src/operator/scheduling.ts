/** What runs beside the reconciles for each object: timers, cron schedules, daemons. */
import type { Client, KubernetesObject } from '@kurator/client';
import type { CronOptions } from '../schedules/cron.ts';
import type { DaemonOptions } from '../schedules/daemon.ts';
import type { ScheduleContext } from '../schedules/schedule.ts';
import type { TimerOptions } from '../schedules/timer.ts';
import type { Log, TellEvent } from './author.ts';
import type { Lookup } from './lookup.ts';

/** What a scheduled function is given beside the object. */
export interface ScheduledContext<
  T extends KubernetesObject,
  Indexes extends string = never,
  Clusters extends string = never,
> extends ScheduleContext<T>,
    Lookup<Indexes, Clusters> {
  event: TellEvent;
  readonly log: Log;
  /** Refuses to write once this process can't be sure to lead. */
  readonly client: Client;
  /** The other clusters, by their names. */
  readonly clusters: Readonly<Record<Clusters, Client>>;
}

/** Runs for an object. What it throws is reported, and never keeps other objects waiting. */
export type ScheduledFunction<
  T extends KubernetesObject,
  Indexes extends string = never,
  Clusters extends string = never,
> = (object: T, context: ScheduledContext<T, Indexes, Clusters>) => Promise<unknown> | unknown;

type KeptForTheAuthor = 'name' | 'for' | 'run' | 'shard' | 'observers' | 'clock' | 'random';

interface Named {
  /** What metrics and logs call it; needed only where a controller has several of one sort. */
  name?: string;
}

/** More about a timer. */
export interface EverySettings<T extends KubernetesObject>
  extends Named,
    Omit<TimerOptions<T>, KeptForTheAuthor | 'every'> {}

/** More about a cron schedule. */
export interface CronSettings<T extends KubernetesObject>
  extends Named,
    Omit<CronOptions<T>, KeptForTheAuthor | 'cron' | 'memory'> {
  /**
   * Whether the time of the last run is kept on the object, in an annotation, so that a run whose time comes while no
   * operator is there is made up for. True unless given.
   */
  remember?: boolean;
}

/** More about a daemon. */
export interface DaemonSettings<T extends KubernetesObject> extends Named, Omit<DaemonOptions<T>, KeptForTheAuthor> {}
