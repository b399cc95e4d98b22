/** Everything that Prometheus is told: of each service, of what happens, and here of the checks, the channels and the healer itself. Counted where it arises, read when somebody scrapes. */
import type { Sample } from '@kurator/sdk';
import { AlertChannel } from '../../resources/alert-channel.ts';
import { latenessBounds } from '../../senses/checks/scheduler/statistics.ts';
import { outboxOf } from '../alerts/outbox.ts';
import { eventFamilies } from './events.ts';
import { type Family, given, inSeconds, type Labels, type Measured, single } from './family.ts';
import { serviceFamilies } from './services.ts';

/** Every family, read from what is in mind at that moment. */
export function metricFamilies(healer: Measured): Family[] {
  return [serviceFamilies, eventFamilies, checkFamilies, channelFamilies, ownFamilies].flatMap((of) => of(healer));
}

/** Of all services, or of none. */
function family(
  type: Family['type'],
  name: string,
  help: string,
  samples: () => Sample[],
  labels: readonly string[] = [],
): Family {
  return { type, name, help, labels, samples };
}

/** The healer itself. */
function ownFamilies(healer: Measured): Family[] {
  return [
    family(
      'gauge',
      'kurator_heartbeat_timestamp_seconds',
      'When the healer last looked around; alert when it is older than a minute',
      () => single(healer.lookedAt / 1000),
    ),
    family(
      'gauge',
      'kurator_watches_current_timestamp_seconds',
      'The moment that the caches surely show; nothing is repaired when it is long ago',
      () => single(healer.freshness.currentAt() / 1000),
    ),
    family('gauge', 'kurator_storm', '1 while so much fails at once that the services are hardly the cause', () =>
      single(Number(healer.clusterState.stormSince !== undefined)),
    ),
    family(
      'gauge',
      'kurator_switch',
      "1 for what the cluster's switch says: Off, Observe or On",
      () => given({ mode: healer.mode }, 1),
      ['mode'],
    ),
    family('gauge', 'kurator_services', 'Services that are looked after', () =>
      single([...healer.memories.all()].length),
    ),
  ];
}

/** The checks, over all services. */
function checkFamilies(healer: Measured): Family[] {
  const statistics = () => healer.checks.statistics;
  return [
    family('gauge', 'kurator_checks', 'Checks that are scheduled', () => single(healer.checks.size)),
    family('gauge', 'kurator_checks_running', 'Checks that run at this moment', () => single(statistics().running)),
    family('gauge', 'kurator_checks_waiting', 'Checks that are due and held back, because too many run at once', () =>
      single(statistics().waiting),
    ),
    family(
      'counter',
      'kurator_check_results_total',
      'Results of checks by outcome; unknown is trouble of the checker itself',
      () => Object.entries(statistics().results).map(([outcome, value]) => ({ labels: { outcome }, value })),
      ['outcome'],
    ),
    family(
      'counter',
      'kurator_checks_missed_total',
      'Runs of checks that were left out because the one before took too long',
      () => single(statistics().missed),
    ),
    family(
      'histogram',
      'kurator_check_lateness_seconds',
      'How late checks were started; the sum is estimated from the buckets',
      () => latenessSamples(statistics().lateness),
    ),
  ];
}

/** In milliseconds. A fifth apart is finer than anybody asks for. */
const shown = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000];

/** As Prometheus counts: each bucket with all below it. */
export function latenessSamples(counts: readonly number[]): Sample[] {
  const upTo = (bound: number) =>
    counts.reduce((sum, count, index) => ((latenessBounds[index] ?? 0) <= bound ? sum + count : sum), 0);
  const all = upTo(Number.POSITIVE_INFINITY);
  const sum = counts.reduce((total, count, index) => total + count * (latenessBounds[index] ?? 0), 0);
  return [
    ...shown.map((bound): Sample => ({ suffix: '_bucket', labels: { le: String(bound / 1000) }, value: upTo(bound) })),
    { suffix: '_bucket', labels: { le: '+Inf' }, value: all },
    { suffix: '_sum', labels: {}, value: sum / 1000 },
    { suffix: '_count', labels: {}, value: all },
  ];
}

/** Each alert channel, from its own status: these survive the operator, as what waits in it does. */
function channelFamilies(healer: Measured): Family[] {
  const ofEach = (
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
      (healer.look?.list(AlertChannel, { namespace: '*' }) ?? []).flatMap((channel) => {
        const { name: own, namespace = '' } = channel.metadata;
        return read(outboxOf(channel), { namespace, channel: own });
      }),
  });
  return [
    ofEach('gauge', 'kurator_alerts_waiting', 'Alerts that wait for their sink', ({ waiting }, labels) =>
      given(labels, waiting.length),
    ),
    ofEach(
      'gauge',
      'kurator_alerts_waiting_since_timestamp_seconds',
      'When the oldest alert that waits was put in; missing when none waits',
      ({ waiting }, labels) => given(labels, inSeconds(waiting[0] && Date.parse(waiting[0].since))),
    ),
    ofEach(
      'counter',
      'kurator_alerts_delivered_total',
      'Alerts that have reached their sink; survives the operator',
      ({ delivered }, labels) => given(labels, delivered),
    ),
    ofEach(
      'counter',
      'kurator_alerts_dropped_total',
      'Alerts that were pushed out by others because too many waited; survives the operator',
      ({ dropped }, labels) => given(labels, dropped),
    ),
    ofEach(
      'gauge',
      'kurator_alert_channel_failing',
      '1 while the last try to deliver an alert has failed',
      ({ lastError }, labels) => given(labels, Number(lastError !== undefined)),
    ),
  ];
}
