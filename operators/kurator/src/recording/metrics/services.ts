/** Metrics of each service: how it is, what happened to it, and how well it does. Read from what is in mind of it. */
import type { Sample } from '@kurator/sdk';
import { figures } from '../../brain/figures.ts';
import type { Mind } from '../../healing/mind.ts';
import type { Ward } from '../../healing/ward.ts';
import { healthOf } from '../health.ts';
import { type Family, given, inSeconds, type Labels, tallied } from './family.ts';

export function serviceFamilies(ward: Ward): Family[] {
  const family = (
    type: Family['type'],
    name: string,
    help: string,
    labels: readonly string[],
    read: (mind: Mind, labels: Labels) => Sample[],
  ): Family => ({
    type,
    name,
    help,
    labels: ['namespace', 'service', ...labels],
    samples: () => Array.from(ward.minds.all(), (mind) => read(mind, labelsOf(mind))).flat(),
  });
  const quality = ({ memory }: Mind) =>
    memory && figures(memory.history, { from: memory.history.since, to: ward.now() });
  return [
    family(
      'gauge',
      'kurator_service_health',
      '1 for the word that says how a service is: Healthy, Suspect, Degraded, Down, Repairing, and so on',
      ['health'],
      ({ spec, evidence, memory }, labels) => {
        if (!spec || !evidence) return [];
        const health = healthOf(spec, evidence.condition, memory?.history.incident?.stage);
        return [{ labels: { ...labels, health }, value: 1 }];
      },
    ),
    family(
      'gauge',
      'kurator_service_instances',
      'Pods of a service by how they are',
      ['health'],
      ({ evidence }, labels) =>
        Object.entries(evidence?.counts ?? {}).map(([health, value]) => ({ labels: { ...labels, health }, value })),
    ),
    family(
      'gauge',
      'kurator_service_instances_desired',
      'Pods that a service should have',
      [],
      ({ evidence }, labels) => given(labels, evidence?.desired),
    ),
    family(
      'gauge',
      'kurator_service_availability_ratio',
      'Share of the time since it is watched in which a service was not down',
      [],
      (mind, labels) => given(labels, quality(mind)?.availability),
    ),
    family(
      'gauge',
      'kurator_service_full_health_ratio',
      'Share of the time since it is watched in which a service was neither down nor degraded',
      [],
      (mind, labels) => given(labels, quality(mind)?.fullHealth),
    ),
    family(
      'gauge',
      'kurator_service_time_to_detect_seconds',
      'Mean time from a fault to its confirmation',
      [],
      (mind, labels) => given(labels, inSeconds(quality(mind)?.meanTimeToDetect)),
    ),
    family(
      'gauge',
      'kurator_service_time_to_recover_seconds',
      'Mean time from a fault to recovery',
      [],
      (mind, labels) => given(labels, inSeconds(quality(mind)?.meanTimeToRecover)),
    ),
    family(
      'gauge',
      'kurator_service_scaling_bound',
      'The fewest and the most pods that scaling may set',
      ['bound'],
      ({ spec }, labels) =>
        spec?.scaling
          ? (['min', 'max'] as const).map((bound) => ({
              labels: { ...labels, bound },
              value: spec.scaling?.[bound] ?? 0,
            }))
          : [],
    ),
    family(
      'gauge',
      'kurator_incident_open',
      '1 for the stage and the cause of an incident that is open',
      ['stage', 'cause'],
      ({ memory }, labels) => {
        const { incident } = memory?.history ?? {};
        if (!incident) return [];
        return [{ labels: { ...labels, stage: incident.stage, cause: incident.diagnosis?.cause ?? '' }, value: 1 }];
      },
    ),
    family(
      'gauge',
      'kurator_incident_held',
      '1 for what holds a repair up: a gate, such as budget, cluster or minimum',
      ['by'],
      ({ memory }, labels) => {
        const { hold } = memory?.history.incident ?? {};
        return hold ? [{ labels: { ...labels, by: hold.by }, value: 1 }] : [];
      },
    ),
    family(
      'counter',
      'kurator_incidents_total',
      'Incidents of a service, suspicions that came to nothing among them; survives the operator',
      [],
      ({ memory }, labels) => given(labels, memory?.history.incidents),
    ),
    family(
      'gauge',
      'kurator_incidents_closed',
      'The last closed incidents, fifty at most, by cause and by how they ended',
      ['cause', 'end'],
      ({ memory }, labels) =>
        tallied((memory?.history.closed ?? []).map(({ cause = '', end }) => ({ ...labels, cause, end }))),
    ),
    family(
      'gauge',
      'kurator_repairs_recent',
      'Repairs of a service that still count against its budget',
      [],
      ({ memory }, labels) => given(labels, memory?.history.repairs.length),
    ),
  ];
}

function labelsOf({ reference }: Mind): Labels {
  return { namespace: reference.namespace ?? '', service: reference.name };
}
