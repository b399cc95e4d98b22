// Generated from the OpenAPI document of Kubernetes by scripts/generate-types.ts: do not edit.
import type { KubernetesObject } from '../../object.ts';
import { resourceType } from '../../resource-type.ts';
import type { EventSource, ObjectReference } from '../core/v1.ts';

/** Event is a report of an event somewhere in the cluster. It generally denotes some state change in the system. */
export interface Event extends KubernetesObject {
  /** action is what action was taken/failed regarding to the regarding object. */
  action?: string;
  /** deprecatedCount is the deprecated field assuring backward compatibility with core.v1 Event type. */
  deprecatedCount?: number;
  /** deprecatedFirstTimestamp is the deprecated field assuring backward compatibility with core.v1 Event type. */
  deprecatedFirstTimestamp?: string;
  /** deprecatedLastTimestamp is the deprecated field assuring backward compatibility with core.v1 Event type. */
  deprecatedLastTimestamp?: string;
  /** deprecatedSource is the deprecated field assuring backward compatibility with core.v1 Event type. */
  deprecatedSource?: EventSource;
  /** eventTime is the time when this Event was first observed. It is required. */
  eventTime: string;
  /** note is a human-readable description of the status of this operation. */
  note?: string;
  /** reason is why the action was taken. It is human-readable. */
  reason?: string;
  /** regarding contains the object this Event is about. In most cases it's an Object reporting controller implements, e.g. */
  regarding?: ObjectReference;
  /** related is the optional secondary object for more complex actions. */
  related?: ObjectReference;
  /** reportingController is the name of the controller that emitted this Event, e.g. */
  reportingController?: string;
  /** reportingInstance is the ID of the controller instance, e.g. */
  reportingInstance?: string;
  /** series is data about the Event series this event represents or nil if it's a singleton Event. */
  series?: EventSeries;
  /** type is the type of this event (Normal, Warning), new types could be added in the future. */
  type?: string;
}
export const Event = resourceType<Event>('events.k8s.io/v1', 'Event');

/** EventSeries contain information on series of events, i.e. thing that was/is happening continuously for some time. */
export interface EventSeries {
  /** count is the number of occurrences in this series up to the last heartbeat time. */
  count: number;
  /** lastObservedTime is the time when last Event from the series was seen before last heartbeat. */
  lastObservedTime: string;
}
