/** Alertmanager's API, version 2: one alert an incident, which ends when the incident does. */
import type { AlertChannel } from '../../../resources/alert-channel.ts';
import { type Alert, textOf } from '../alert.ts';
import { headersOf, post } from './post.ts';
import type { Sink, SinkTools } from './sink.ts';

type Settings = NonNullable<AlertChannel['spec']['alertmanager']>;

/** It forgets what nobody repeats; each change is said once here, so it has to remember for as long as a person may take. */
const REMEMBERED = 7 * 24 * 3_600_000;

export async function alertmanagerSink(settings: Settings, { secret, now, reach }: SinkTools): Promise<Sink> {
  const { url, bearerTokenFrom, labels = {} } = settings;
  const token = bearerTokenFrom && (await secret(bearerTokenFrom));
  const address = `${url.replace(/\/+$/, '')}/api/v2/alerts`;
  return async (alert, signal) => {
    const headers = headersOf({ 'content-type': 'application/json' }, token && { authorization: `Bearer ${token}` });
    await post(address, JSON.stringify([alertmanagerAlert(alert, labels, now())]), headers, { signal, reach });
  };
}

/** As it takes it. The labels are what it knows an alert by: only what stays the same from suspicion to recovery. */
export function alertmanagerAlert(alert: Alert, labels: Readonly<Record<string, string>>, now: number) {
  const { severity, status, namespace, service, group, incident, title, cause, stage, startedAt, at } = alert;
  // It refuses an end before the beginning.
  const end = status === 'resolved' ? Math.max(Date.parse(at), Date.parse(startedAt)) : now + REMEMBERED;
  return {
    labels: { ...labels, alertname: 'KuratorIncident', namespace, service, incident },
    annotations: { summary: title, description: textOf(alert), severity, group, cause, stage },
    startsAt: startedAt,
    endsAt: new Date(end).toISOString(),
  };
}
