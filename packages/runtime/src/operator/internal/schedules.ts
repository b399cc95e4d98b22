/** Makes the schedules of a controller from what was declared. */
import type { KubernetesObject } from '@kurator/client';
import type { Clock } from '../../clock.ts';
import type { ControllerObserver } from '../../controller/observer.ts';
import type { ShardGate } from '../../controller/shard-gate.ts';
import { type CronOptions, createCron } from '../../schedules/cron.ts';
import { createDaemon } from '../../schedules/daemon.ts';
import type { Schedule, ScheduledWork, ScheduleOptions } from '../../schedules/schedule.ts';
import { rememberInAnnotation } from '../../schedules/schedule-memory.ts';
import { createTimer, type TimerOptions } from '../../schedules/timer.ts';
import type { DeclaredSchedule } from '../definition.ts';
import { equipment } from './author-context.ts';
import { notePrefix } from './own-writes.ts';
import type { Room } from './room.ts';

export interface SchedulesOptions {
  observers(name: string): readonly ControllerObserver[];
  readonly clock: Clock | undefined;
  readonly shard: ShardGate | undefined;
}

type AnyObject = KubernetesObject;

export function schedulesOf(room: Room, { observers, clock, shard }: SchedulesOptions): Schedule[] {
  return room.definition.schedules.map((declared) => {
    const name = scheduleName(room, declared);
    const run: ScheduledWork<AnyObject> = (object, context) =>
      declared.run(object, { ...context, ...equipment(room, object) });
    const given = { ...(clock ? { clock } : {}), ...(shard ? { shard } : {}) };
    return scheduleOf(room, declared, { name, for: room.cache, run, observers: observers(name), ...given });
  });
}

function scheduleOf(room: Room, declared: DeclaredSchedule, common: ScheduleOptions<AnyObject>): Schedule {
  if (declared.sort === 'daemon') return createDaemon({ ...declared.settings, ...common });
  if (declared.sort === 'every') {
    return createTimer({ ...declared.settings, ...common, every: declared.when as TimerOptions<AnyObject>['every'] });
  }
  const { remember = true, ...settings } = declared.settings;
  const cron = declared.when as CronOptions<AnyObject>['cron'];
  const memory = remember ? { memory: memoryOf(room, common.name) } : {};
  return createCron({ ...settings, ...common, cron, ...memory });
}

function memoryOf({ home, cache, ownWrites }: Room, name: string) {
  return rememberInAnnotation(ownWrites.client(home.client), cache.type, notePrefix + name);
}

/** For example `myapp-every`, or `myapp-every-2` for the second one that has no name of its own. */
function scheduleName({ definition }: Room, declared: DeclaredSchedule): string {
  if (declared.name) return `${definition.name}-${declared.name}`;
  const alike = definition.schedules.filter(({ sort, name }) => sort === declared.sort && !name);
  const place = alike.indexOf(declared);
  return `${definition.name}-${declared.sort}${place > 0 ? `-${place + 1}` : ''}`;
}
