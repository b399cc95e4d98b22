/**
 * What becomes of an incident whose service can't be looked after: its target is gone, or its spec can't be followed. No
 * incident waits for what may never come back: it is closed, or it is a person's. Either way its repair ends with it.
 */
import type { Notification } from '../alerts/notification.ts';
import { type Announcing, announce } from '../alerts/policy.ts';
import { noticesAfter } from '../dependencies/coordination.ts';
import { type History, shelve } from '../incident/history.ts';
import type { Incident, Notice } from '../incident/incident.ts';
import { enter, impactOf } from '../incident/keeping.ts';
import { atEase, withPerson } from '../incident/stage.ts';
import type { Millis } from '../time.ts';
import { ended } from './attempt.ts';
import { cleared } from './situation.ts';

/** Why a service can't be looked after. */
export interface Obstacle {
  /** A sentence for people. */
  readonly reason: string;
  /** What the incident was about is not there any more. Otherwise it is, and a person has to make way. */
  readonly isGone: boolean;
}

/** What came of it: to be written down and told as a thought is. */
export interface Withdrawal {
  /** The same object as before when there is nothing new to write. */
  readonly history: History;
  /** The incident's record as it stands, also when it was just closed. */
  readonly incident?: Incident;
  readonly notifications: readonly Notification[];
  readonly notices: readonly Notice[];
}

/** Ends the open incident, or hands it over; does nothing where there is none. Pure, and the same again when called again. */
export function withdraw(spec: Announcing, history: History, obstacle: Obstacle, now: Millis): Withdrawal {
  const { incident: before } = history;
  if (!before) return { history, notifications: [], notices: [] };
  const isClosing = obstacle.isGone || atEase.has(before.stage);
  const moved = isClosing
    ? closed(spec, before, obstacle, now)
    : withPerson.has(before.stage)
      ? before
      : stopped(before, 'handedOver', `nobody can look after it: ${obstacle.reason}`, now);
  const { incident, notification } = announce(moved, { spec, now, isStorm: false, isClosing });
  const remembered = incident === before ? history : { ...history, incident };
  return {
    history: isClosing ? shelve(remembered, incident, now) : remembered,
    incident,
    notifications: notification ? [notification] : [],
    notices: incident.notices.slice(before.notices.length),
  };
}

function closed(spec: Announcing, before: Incident, { reason }: Obstacle, now: Millis): Incident {
  const notices = noticesAfter({ spec, incident: before, now }, `${spec.name} is not looked after any more: ${reason}`);
  return { ...stopped(before, 'withdrawn', reason, now), notices: [...before.notices, ...notices] };
}

/** Whatever was being done is over, and what was decided and not done is withdrawn. */
function stopped(before: Incident, to: 'withdrawn' | 'handedOver', reason: string, now: Millis): Incident {
  const weighed = impactOf(before, { condition: 'unknown' }, now);
  return enter(ended(cleared(weighed), 'abandoned', now), to, reason, 'unknown', now);
}
