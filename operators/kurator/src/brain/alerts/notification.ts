/** What people are told about an incident. Where it goes, and in which words, is the hands' business. */
import type { Cause } from '../diagnosis/cause.ts';
import type { Stage } from '../incident/stage.ts';
import type { Millis } from '../time.ts';

/** How loud. `page` wakes somebody up. */
export type Severity = 'info' | 'warning' | 'page' | 'resolved';

/** One notification: one or more changes of stage, told together. */
export interface Notification {
  /** The same again after a crash: whoever has sent it need not send it twice. */
  readonly id: string;
  readonly service: string;
  readonly incident: string;
  readonly at: Millis;
  readonly severity: Severity;
  /** Notifications of one group are about one thing: the incident, its root's incident, a storm, or what is broken for all. */
  readonly group: string;
  /** The changes of stage it tells, in order; each change is told by exactly one notification. */
  readonly transitions: readonly number[];
  readonly stage: Stage;
  readonly cause?: Cause;
  /** One line. */
  readonly title: string;
  /** Everything that happened, a sentence each. */
  readonly lines: readonly string[];
  /** Why it is only for the record; missing when it is to be sent. */
  readonly silenced?: 'maintenance';
}

/** Something that is no incident yet, but will be one. */
export interface Warning {
  readonly id: string;
  readonly service: string;
  readonly at: Millis;
  readonly title: string;
}
