/** Tells people what is written down, and keeps at it until it is told. */

import type { Incident as Known } from '../brain/incident/incident.ts';
import type { Thought } from '../brain/think.ts';
import type { Millis } from '../brain/time.ts';
import { incidentReference } from '../memory/incident-object.ts';
import type { Pass } from '../memory/pass.ts';
import type { ServiceMemory } from '../memory/service-memory.ts';
import type { ServiceRecord } from '../memory/service-record.ts';
import { Incident } from '../resources/incident.ts';
import type { Alerting, Others } from './alerts/alerting.ts';

/** What there is to tell about. */
type Told = Partial<Pick<Thought, 'incident' | 'warnings'>>;

const again = 5000;

/** A pass of an operator that can tell people. */
export interface TellingPass extends Pass {
  readonly scope: {
    readonly alerting: Alerting;
    readonly now: () => Millis;
    others(pass: Pass): Others;
    wake(services: Iterable<string>): void;
  };
}

/** Hands over what people are to be told. A way to people that fails never holds up a repair. */
export async function tell(found: TellingPass, thought: Told, { untold = [] }: ServiceRecord): Promise<void> {
  const { memory, context, kurator, scope } = found;
  for (const notification of untold) {
    if (memory.told.has(notification.id)) continue;
    const incident = incidentOf(found, thought, notification.incident);
    try {
      const whom = incident
        ? await scope.alerting.tell(kurator, incident, [notification], scope.others(found), context.event)
        : [];
      memory.told.add(notification.id);
      const at = new Date(scope.now()).toISOString();
      memory.toldTo.push(
        ...whom.map((name) => ({ at, whom: `channel ${name}`, what: notification.title.slice(0, 2048) })),
      );
      // What is told is taken off the list.
      scope.wake([memory.name]);
    } catch (error) {
      context.signal.throwIfAborted();
      context.log.warn('on-call could not be told: it is tried again', { notification: notification.id, error });
      // What comes after it would arrive before it.
      break;
    }
  }
  for (const { title } of thought.warnings ?? []) context.event('Warning', 'Warning', title, { action: 'Check' });
}

/** When what could not be told is to be tried again. */
export function remindersOf({ record, told }: ServiceMemory, now: Millis): Millis | undefined {
  return record?.untold?.some(({ id }) => !told.has(id)) ? now + again : undefined;
}

/** The open one, the one that was just closed, or an older one's record. */
function incidentOf({ kurator, context }: Pass, { incident }: Told, id: string): Known | undefined {
  if (incident?.id === id) return incident;
  const object = context.get(Incident, incidentReference(kurator, id));
  return object?.status?.memory as Known | undefined;
}
