/** The kind that a recorder writes: what `kubectl describe` and `kubectl get events` show. */
import { type KubernetesObject, resourceType } from '@kurator/client';

/** Which object an event is about. */
export interface EventObjectReference {
  apiVersion?: string;
  kind?: string;
  namespace?: string;
  name?: string;
  uid?: string;
  resourceVersion?: string;
}

/** An Event of events.k8s.io/v1. */
export interface ReportedEvent extends KubernetesObject {
  /** RFC 3339 with microseconds, like every time here. */
  eventTime: string;
  type: 'Normal' | 'Warning';
  reason: string;
  action: string;
  note?: string;
  regarding: EventObjectReference;
  related?: EventObjectReference;
  reportingController: string;
  reportingInstance: string;
  /** There once it happened more than once. */
  series?: { count: number; lastObservedTime: string };
}
export const ReportedEvent = resourceType<ReportedEvent>('events.k8s.io/v1', 'Event');
