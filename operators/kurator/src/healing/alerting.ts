/** How people are told. What is told, when and how loud is the brain's; where it goes is alerting's. */
import type { TellEvent } from '@kurator/sdk';
import type { Notification } from '../brain/alerts/notification.ts';
import type { Incident } from '../brain/incident/incident.ts';
import type { Kurator } from '../resources/kurator.ts';

/** How the other components do, by name. */
export type Others = Readonly<Record<string, string>>;

/** Tells people. */
export interface Alerting {
  /**
   * Takes notifications over: once it resolves, they are its own to deliver. It is called again with the same ones if it
   * fails, or if the operator ends before this could be written down: their ids are what they are known by.
   *
   * @param incident The brain's record, as of now.
   * @returns Who is told: the names of the channels.
   */
  tell(
    kurator: Kurator,
    incident: Incident,
    notifications: readonly Notification[],
    others: Others,
    event: TellEvent,
  ): Promise<readonly string[]>;
}

/** Tells by Kubernetes Events alone. */
export const eventsOnly: Alerting = {
  async tell(_kurator, _incident, notifications, others, event) {
    const loud = notifications.filter(({ silenced }) => !silenced);
    for (const { severity, stage, title, lines } of loud) {
      const isCalm = severity === 'info' || severity === 'resolved';
      event(isCalm ? 'Normal' : 'Warning', reasonOf(stage), messageOf([title, ...lines], others), {
        action: 'Heal',
      });
    }
    return loud.length > 0 ? ['events'] : [];
  },
};

/** No message of an Event is longer. */
const longestMessage = 1024;
const leastForOthers = 400;

/** What happened, and how the others do, as far as there is room. */
function messageOf(lines: readonly string[], others: Others): string {
  const states = Object.entries(others).map(([name, state]) => `${name}: ${state}`);
  const rest = states.length > 0 ? `\nOthers: ${states.join(', ')}` : '';
  const story = lines.join('\n').slice(0, longestMessage - Math.min(rest.length, leastForOthers));
  return `${story}${rest}`.slice(0, longestMessage).toWellFormed();
}

/** As events name it: `HandedOver`. */
export function reasonOf(stage: string): string {
  return `${stage.charAt(0).toUpperCase()}${stage.slice(1)}`;
}
