/** How people are told. What is told, when and how loud is the brain's; where it goes is alerting's. */
import type { TellEvent } from '@kurator/sdk';
import type { Notification } from '../../brain/alerts/notification.ts';
import type { Incident } from '../../brain/incident/incident.ts';
import type { Kurator } from '../../resources/kurator.ts';

/** How one of the other components does, in a word: a service, a node, all nodes, the control plane. */
export interface OtherState {
  readonly name: string;
  readonly state: string;
}

/** How the other components do, the worst first. A list, because the API server keeps no order of a map's fields. */
export type Others = readonly OtherState[];

/** Earlier versions wrote a map: what they left is read as well. */
export function listed(others: Others | Readonly<Record<string, string>> = []): Others {
  return Array.isArray(others) ? others : Object.entries(others).map(([name, state]) => ({ name, state }));
}

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
      event(isCalm ? 'Normal' : 'Warning', reasonOf(stage), noteOf([title, ...lines], others), {
        action: 'Heal',
      });
    }
    return loud.length > 0 ? ['events'] : [];
  },
};

/** In bytes: no note of an Event is longer. */
const longestNote = 1024;
const leastForOthers = 400;

/** What an Event says: what happened, and how the others do, as far as there is room. */
export function noteOf(lines: readonly string[], others: Others): string {
  const rest = others.length > 0 ? `\nOthers: ${inWords(others).join(', ')}` : '';
  const story = cut(lines.join('\n'), longestNote - Math.min(Buffer.byteLength(rest), leastForOthers));
  return cut(`${story}${rest}`, longestNote);
}

/** `shop/db: down`, one for each of the other components. */
export function inWords(others: Others): string[] {
  return others.map(({ name, state }) => `${name}: ${state}`);
}

/** At most so many bytes, never half a character. */
function cut(text: string, most: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= most) return bytes.toString();
  const room = most - Buffer.byteLength('…');
  return `${bytes
    .subarray(0, room)
    .toString()
    .replace(/\uFFFD+$/, '')}…`;
}

/** As events name it: `HandedOver`. */
export function reasonOf(stage: string): string {
  return `${stage.charAt(0).toUpperCase()}${stage.slice(1)}`;
}
