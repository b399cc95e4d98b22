/** Metrics of each service: how it is, what happened to it, and how well it does. Read from what is in mind of it. */
import type { Sample } from '@kurator/sdk';
import { figures } from '../../brain/figures.ts';
import type { ServiceMemory } from '../../memory/service-memory.ts';
import { healthOf } from '../status.ts';
import { type Family, given, inSeconds, type Labels, type Measured, tallied } from './family.ts';

export function serviceFamilies(healer: Measured): Family[] {
  const family = (
    type: Family['type'],
    name: string,
    help: string,
    labels: readonly string[],
    read: (memory: ServiceMemory, labels: Labels) => Sample[],
  ): Family => ({
    type,
    name,
    help,
    labels: ['namespace', 'service', ...labels],
    samples: () => Array.from(healer.memories.all(), (memory) => read(memory, labelsOf(memory))).flat(),
  });
  const quality = ({ record }: ServiceMemory) =>
    record && figures(record.history, { from: record.history.since, to: healer.now() });
  return [
    family(
      'gauge',
      'kurator_service_health',
      '1 for the word that says how a service is: Healthy, Suspect, Degraded, Down, Repairing, and so on',
      ['health'],
      ({ spec, evidence, record }, labels) => {
        if (!spec || !evidence) return [];
        const health = healthOf(spec, evidence.condition, record?.history.incident?.stage);
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
      (memory, labels) => given(labels, quality(memory)?.availability),
    ),
    family(
      'gauge',
      'kurator_service_full_health_ratio',
      'Share of the time since it is watched in which a service was neither down nor degraded',
      [],
      (memory, labels) => given(labels, quality(memory)?.fullHealth),
    ),
    family(
      'gauge',
      'kurator_service_time_to_detect_seconds',
      'Mean time from a fault to its confirmation',
      [],
      (memory, labels) => given(labels, inSeconds(quality(memory)?.meanTimeToDetect)),
    ),
    family(
      'gauge',
      'kurator_service_time_to_recover_seconds',
      'Mean time from a fault to recovery',
      [],
      (memory, labels) => given(labels, inSeconds(quality(memory)?.meanTimeToRecover)),
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
      ({ record }, labels) => {
        const { incident } = record?.history ?? {};
        if (!incident) return [];
        return [{ labels: { ...labels, stage: incident.stage, cause: incident.diagnosis?.cause ?? '' }, value: 1 }];
      },
    ),
    family(
      'gauge',
      'kurator_incident_held',
      '1 for what holds a repair up: a gate, such as budget, cluster or minimum',
      ['by'],
      ({ record }, labels) => {
        const { hold } = record?.history.incident ?? {};
        return hold ? [{ labels: { ...labels, by: hold.by }, value: 1 }] : [];
      },
    ),
    family(
      'counter',
      'kurator_incidents_total',
      'Incidents of a service, suspicions that came to nothing among them; survives the operator',
      [],
      ({ record }, labels) => given(labels, record?.history.incidents),
    ),
    family(
      'gauge',
      'kurator_incidents_closed',
      'The last closed incidents, fifty at most, by cause and by how they ended',
      ['cause', 'end'],
      ({ record }, labels) =>
        tallied((record?.history.closed ?? []).map(({ cause = '', end }) => ({ ...labels, cause, end }))),
    ),
    family(
      'gauge',
      'kurator_repairs_recent',
      'Repairs of a service that still count against its budget',
      [],
      ({ record }, labels) => given(labels, record?.history.repairs.length),
    ),
  ];
}

function labelsOf({ reference }: ServiceMemory): Labels {
  return { namespace: reference.namespace ?? '', service: reference.name };
}
