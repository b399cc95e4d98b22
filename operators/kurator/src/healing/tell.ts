/** Tells people what is written down, and keeps at it until it is told. */
import type { Incident as Known } from '../brain/incident/incident.ts';
import type { Thought } from '../brain/think.ts';
import type { Millis } from '../brain/time.ts';
import { incidentReference } from '../recording/incident-record.ts';
import { Incident } from '../resources/incident.ts';
import type { Round } from './case.ts';
import type { Memory } from './memory.ts';
import type { Mind } from './mind.ts';
import { othersOf } from './others.ts';

/** What there is to tell about. */
type Told = Partial<Pick<Thought, 'incident' | 'warnings'>>;

const again = 5000;

/** Hands over what people are to be told. A way to people that fails never holds up a repair. */
export async function tell(found: Round, thought: Told, { untold = [] }: Memory): Promise<void> {
  const { mind, context, kurator, ward } = found;
  for (const notification of untold) {
    if (mind.told.has(notification.id)) continue;
    const incident = incidentOf(found, thought, notification.incident);
    try {
      const whom = incident
        ? await ward.alerting.tell(kurator, incident, [notification], othersOf(found), context.event)
        : [];
      mind.told.add(notification.id);
      const at = new Date(ward.now()).toISOString();
      mind.toldTo.push(
        ...whom.map((name) => ({ at, whom: `channel ${name}`, what: notification.title.slice(0, 2048) })),
      );
      // What is told is taken off the list.
      ward.wake([mind.name]);
    } catch (error) {
      context.signal.throwIfAborted();
      context.log.warn('people could not be told: it is tried again', { notification: notification.id, error });
      // What comes after it would arrive before it.
      break;
    }
  }
  for (const { title } of thought.warnings ?? []) context.event('Warning', 'Warning', title, { action: 'Check' });
}

/** When what could not be told is to be tried again. */
export function remindersOf({ memory, told }: Mind, now: Millis): Millis | undefined {
  return memory?.untold?.some(({ id }) => !told.has(id)) ? now + again : undefined;
}

/** The open one, the one that was just closed, or an older one's record. */
function incidentOf({ kurator, context }: Round, { incident }: Told, id: string): Known | undefined {
  if (incident?.id === id) return incident;
  const object = context.get(Incident, incidentReference(kurator, id));
  return object?.status?.memory as Known | undefined;
}
