/** What Prometheus is told of all services, and of the healer itself. Counted where it arises, read when somebody scrapes. */
import type { MetricFamily, Sample } from '@kurator/sdk';
import { figures } from '../brain/figures.ts';
import type { Mind } from '../healing/mind.ts';
import type { Ward } from '../healing/ward.ts';
import { healthOf } from './health.ts';

type Labels = Sample['labels'];

/** Every family, read from what is in mind at that moment. */
export function metricFamilies(ward: Ward): MetricFamily[] {
  return [...serviceFamilies(ward), ...checkFamilies(ward), ...ownFamilies(ward)];
}

function serviceFamilies({ minds, now }: Ward): MetricFamily[] {
  const of = (read: (mind: Mind, labels: Labels) => Sample[]) => () =>
    Array.from(minds.all(), (mind) => read(mind, labelsOf(mind))).flat();
  const closed = (mind: Mind) => mind.memory?.history.closed ?? [];
  const quality = (mind: Mind) => {
    const { history } = mind.memory ?? {};
    return history && figures(history, { from: history.since, to: now() });
  };
  return [
    {
      type: 'gauge',
      name: 'kurator_service_health',
      help: '1 for the word that says how a service is: Healthy, Suspect, Degraded, Down, Repairing, and so on',
      samples: of(({ spec, evidence, memory }, labels) => {
        if (!spec || !evidence) return [];
        const health = healthOf(spec, evidence.condition, memory?.history.incident?.stage);
        return [{ labels: { ...labels, health }, value: 1 }];
      }),
    },
    {
      type: 'gauge',
      name: 'kurator_service_instances',
      help: 'Instances of a service by how they are',
      samples: of(({ evidence }, labels) =>
        Object.entries(evidence?.counts ?? {}).map(([health, value]) => ({ labels: { ...labels, health }, value })),
      ),
    },
    {
      type: 'gauge',
      name: 'kurator_service_instances_desired',
      help: 'Instances that a service should have',
      samples: of(({ evidence }, labels) => (evidence ? [{ labels, value: evidence.desired }] : [])),
    },
    {
      type: 'gauge',
      name: 'kurator_incident_open',
      help: '1 for the stage of an incident that is open',
      samples: of(({ memory }, labels) => {
        const { incident } = memory?.history ?? {};
        if (!incident) return [];
        const { stage, diagnosis } = incident;
        return [{ labels: { ...labels, stage, cause: diagnosis?.cause ?? '' }, value: 1 }];
      }),
    },
    {
      type: 'counter',
      name: 'kurator_incidents_total',
      help: 'Incidents of a service, suspicions that came to nothing among them',
      samples: of(({ memory }, labels) => (memory ? [{ labels, value: memory.history.incidents }] : [])),
    },
    {
      type: 'gauge',
      name: 'kurator_repairs_recent',
      help: 'Repairs of a service within the last day',
      samples: of(({ memory }, labels) => (memory ? [{ labels, value: memory.history.repairs.length }] : [])),
    },
    {
      type: 'gauge',
      name: 'kurator_incidents_closed',
      help: 'Closed incidents that are remembered, by cause and by how they ended',
      samples: of((mind, labels) => tally(closed(mind).map(({ cause = '', end }) => ({ ...labels, cause, end })))),
    },
    {
      type: 'gauge',
      name: 'kurator_service_availability_ratio',
      help: 'Share of the time since it is watched in which a service was not down',
      samples: of((mind, labels) => given(labels, quality(mind)?.availability)),
    },
    {
      type: 'gauge',
      name: 'kurator_service_time_to_detect_seconds',
      help: 'Mean time from a fault to its confirmation',
      samples: of((mind, labels) => given(labels, inSeconds(quality(mind)?.meanTimeToDetect))),
    },
    {
      type: 'gauge',
      name: 'kurator_service_time_to_recover_seconds',
      help: 'Mean time from a fault to recovery',
      samples: of((mind, labels) => given(labels, inSeconds(quality(mind)?.meanTimeToRecover))),
    },
  ];
}

function checkFamilies({ checkups }: Ward): MetricFamily[] {
  return [
    {
      type: 'gauge',
      name: 'kurator_checks',
      help: 'Checks that are scheduled',
      samples: () => [{ labels: {}, value: checkups.size }],
    },
    {
      type: 'counter',
      name: 'kurator_check_results_total',
      help: 'Results of checks by outcome; unknown is trouble of the checker itself',
      samples: () =>
        Object.entries(checkups.statistics.results).map(([outcome, value]) => ({ labels: { outcome }, value })),
    },
    {
      type: 'counter',
      name: 'kurator_checks_missed_total',
      help: 'Runs of checks that were left out because the one before took too long',
      samples: () => [{ labels: {}, value: checkups.statistics.missed }],
    },
  ];
}

function ownFamilies(ward: Ward): MetricFamily[] {
  return [
    {
      type: 'gauge',
      name: 'kurator_heartbeat_timestamp_seconds',
      help: 'When the healer last looked around; alert when it is older than a minute',
      samples: () => [{ labels: {}, value: ward.lookedAt / 1000 }],
    },
    {
      type: 'gauge',
      name: 'kurator_watches_current_timestamp_seconds',
      help: 'The moment that the caches surely show; nothing is repaired when it is long ago',
      samples: () => [{ labels: {}, value: ward.contact.currentAt() / 1000 }],
    },
    {
      type: 'gauge',
      name: 'kurator_storm',
      help: '1 while so much fails at once that the services are hardly the cause',
      samples: () => [{ labels: {}, value: Number(ward.weather.stormSince !== undefined) }],
    },
  ];
}

function labelsOf({ reference }: Mind): Labels {
  return { namespace: reference.namespace ?? '', service: reference.name };
}

function given(labels: Labels, value: number | undefined): Sample[] {
  return value === undefined ? [] : [{ labels, value }];
}

function inSeconds(length: number | undefined): number | undefined {
  return length === undefined ? undefined : length / 1000;
}

function tally(all: readonly Labels[]): Sample[] {
  const counts = new Map<string, { labels: Labels; value: number }>();
  for (const labels of all) {
    const key = JSON.stringify(labels);
    counts.set(key, { labels, value: (counts.get(key)?.value ?? 0) + 1 });
  }
  return [...counts.values()];
}
