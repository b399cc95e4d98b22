/** Lets a manager run what an operator's controllers declare, each in the stage that it belongs to. */
import type { ObjectReference } from '@kurator/client';
import type { Clock } from '../../clock.ts';
import type { ShardGate } from '../../controller/shard-gate.ts';
import type { Duration } from '../../duration.ts';
import type { Manager } from '../../manager/manager.ts';
import type { OperatorDefinition } from '../definition.ts';
import { afterlife } from './afterlife.ts';
import { assemble } from './assemble.ts';
import { childrenPolicy } from './children-policy.ts';
import { openRoom } from './room.ts';
import { schedulesOf } from './schedules.ts';
import type { Site } from './site.ts';

export interface StaffOptions {
  readonly name: string;
  readonly sites: ReadonlyMap<string, Site>;
  /** Which objects are this replica's; all, while it leads, unless given. */
  readonly shard: ShardGate | undefined;
  readonly clock: Clock | undefined;
}

export function staff(manager: Manager, { controllers }: OperatorDefinition, options: StaffOptions): void {
  const { name: operator, sites, shard, clock } = options;
  const stage = shard ? 'background' : 'leader';
  for (const definition of controllers) {
    const room = openRoom(definition, { operator, sites, logger: manager.logger, dryRun: false, clock });
    const observers = (name: string) => manager.observers(name, definition.type.kind);
    const controller = assemble(room, { observers: observers(definition.name), clock, shard });
    const wake = (reference: ObjectReference, after: Duration = 0) => controller.enqueue(reference, { after });
    // Before the controller, which may need what it makes.
    const { namespaces } = room.home;
    for (const companion of definition.companions) manager.add(companion({ manager, namespaces, wake }), stage);
    manager.addController(controller, stage);
    room.schedules.push(...schedulesOf(room, { observers, clock, shard }));
    for (const schedule of room.schedules) {
      manager.metrics.controllers.show(schedule);
      manager.add(schedule, stage);
    }
    if (childrenPolicy(definition) === 'keep') manager.add(afterlife(room, clock), 'leader');
  }
}
