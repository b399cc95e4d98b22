/** PagerDuty's Events API, version 2. */
import type { AlertChannel } from '../../../resources/alert-channel.ts';
import type { Alert } from '../alert.ts';
import { headersOf, post } from './post.ts';
import type { Sink, SinkTools } from './sink.ts';

type Settings = NonNullable<AlertChannel['spec']['pagerDuty']>;

const severities: Readonly<Record<Alert['severity'], string>> = {
  page: 'critical',
  warning: 'warning',
  info: 'info',
  resolved: 'info',
};
const LONGEST_KEY = 255;

export async function pagerDutySink({ url, routingKeyFrom }: Settings, { secret, reach }: SinkTools): Promise<Sink> {
  const routingKey = await secret(routingKeyFrom);
  return async (alert, signal) => {
    const body = JSON.stringify(pagerDutyEvent(alert, routingKey));
    await post(url, body, headersOf({ 'content-type': 'application/json' }), { signal, reach });
  };
}

/** As it takes it. */
export function pagerDutyEvent(alert: Alert, routingKey: string) {
  const { severity, status, title, service, namespace, group, at, thread, ...details } = alert;
  return {
    routing_key: routingKey,
    event_action: status === 'resolved' ? 'resolve' : 'trigger',
    // By its end it is unique.
    dedup_key: thread.slice(-LONGEST_KEY),
    payload: {
      summary: title,
      source: `${namespace}/${service}`,
      severity: severities[severity],
      timestamp: at,
      component: service,
      group,
      class: alert.stage,
      custom_details: details,
    },
  };
}
