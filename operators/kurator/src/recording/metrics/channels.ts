/** Metrics of each alert channel, from its own status: they survive the operator, as what waits in it does. */
import type { Sample } from '@kurator/sdk';
import { outboxOf } from '../../alerting/outbox.ts';
import type { Ward } from '../../healing/ward.ts';
import { AlertChannel } from '../../resources/alert-channel.ts';
import { type Family, given, inSeconds, type Labels } from './family.ts';

export function channelFamilies(ward: Ward): Family[] {
  const family = (
    type: Family['type'],
    name: string,
    help: string,
    read: (outbox: ReturnType<typeof outboxOf>, labels: Labels) => Sample[],
  ): Family => ({
    type,
    name,
    help,
    labels: ['namespace', 'channel'],
    samples: () =>
      (ward.look?.list(AlertChannel, { namespace: '*' }) ?? []).flatMap((channel) => {
        const { name: own, namespace = '' } = channel.metadata;
        return read(outboxOf(channel), { namespace, channel: own });
      }),
  });
  return [
    family('gauge', 'kurator_alerts_waiting', 'Alerts that wait for their sink', ({ waiting }, labels) =>
      given(labels, waiting.length),
    ),
    family(
      'gauge',
      'kurator_alerts_waiting_since_timestamp_seconds',
      'When the oldest alert that waits was put in; missing when none waits',
      ({ waiting }, labels) => given(labels, inSeconds(waiting[0] && Date.parse(waiting[0].since))),
    ),
    family(
      'counter',
      'kurator_alerts_delivered_total',
      'Alerts that have reached their sink; survives the operator',
      ({ delivered }, labels) => given(labels, delivered),
    ),
    family(
      'counter',
      'kurator_alerts_dropped_total',
      'Alerts that were pushed out by others because too many waited; survives the operator',
      ({ dropped }, labels) => given(labels, dropped),
    ),
    family(
      'gauge',
      'kurator_alert_channel_failing',
      '1 while the last try to deliver an alert has failed',
      ({ lastError }, labels) => given(labels, Number(lastError !== undefined)),
    ),
  ];
}
