/** Kubernetes Events on the Kurator, as `kubectl describe` shows them. */
import { hash } from 'node:crypto';
import { type Client, isAlreadyExists, type KubernetesObject, microTime, resourceType } from '@kurator/sdk';
import { group, version } from '../../../resources/group.ts';
import type { Alert } from '../alert.ts';
import { noteOf, reasonOf } from '../alerting.ts';
import { type Sink, SinkError } from './sink.ts';

interface ReportedEvent extends KubernetesObject {
  eventTime: string;
  type: 'Normal' | 'Warning';
  reason: string;
  action: string;
  note: string;
  regarding: { apiVersion: string; kind: string; namespace: string; name: string; uid: string };
  reportingController: string;
  reportingInstance: string;
}

const ReportedEvent = resourceType<ReportedEvent>('events.k8s.io/v1', 'Event');

/** Its name is the alert's: sent again, it is there already. */
export function eventSink(client: Client): Sink {
  return async (alert, signal) => {
    await client.create(ReportedEvent, eventOf(alert), { signal }).catch((error) => {
      if (!isAlreadyExists(error)) throw new SinkError('the Event could not be written');
    });
  };
}

function eventOf(alert: Alert) {
  const { id, namespace, service, uid, severity, stage, title, lines, others } = alert;
  return {
    metadata: { name: `${service.slice(0, 200)}.${hash('sha256', id).slice(0, 16)}`, namespace },
    eventTime: microTime(Date.parse(alert.at)),
    type: severity === 'page' || severity === 'warning' ? ('Warning' as const) : ('Normal' as const),
    reason: reasonOf(stage),
    action: 'Heal',
    note: noteOf([title, ...lines], others),
    regarding: { apiVersion: `${group}/${version}`, kind: 'Kurator', namespace, name: service, uid },
    reportingController: `${group}/kurator`,
    reportingInstance: 'alerts',
  };
}
