/** Services, incidents, and the figures of both, as tables. Pure. */
import { age, duration } from '@kurator/command';
import { type Figures, figures, type History } from '@kurator/operator-kurator/brain';
import type { Incident, Kurator } from './kinds.ts';
import { between } from './moments.ts';
import type { Columns, View } from './view.ts';

export function incidentView({ namespace, wide }: Columns): View<Incident> {
  const more = wide ? ['TOLD', 'SUMMARY'] : [];
  const place = namespace ? ['NAMESPACE'] : [];
  return {
    headings: [...place, 'NAME', 'SERVICE', 'STAGE', 'CAUSE', 'BEGAN', 'DETECTED', 'RECOVERED', 'ACTIONS', ...more],
    toned: 'STAGE',
    row: ({ metadata, spec, status = {} as NonNullable<Incident['status']> }, now) => {
      const { stage, cause, confirmedAt, recoveredAt, actions = [], told = [], summary } = status;
      return [
        ...(namespace ? [metadata.namespace] : []),
        metadata.name,
        spec.service,
        stage,
        cause,
        age(spec.startedAt, now),
        between(spec.startedAt, confirmedAt),
        between(spec.startedAt, recoveredAt),
        String(actions.length),
        ...(wide ? [String(told.length), summary] : []),
      ];
    },
  };
}

/** The figures of one service. */
export interface Quality extends Figures {
  readonly namespace: string;
  readonly service: string;
  /** Incidents that are open now. */
  readonly open: number;
}

/**
 * The figures of services, from what the healer remembers of them.
 *
 * @param from Since when; since each is watched unless given.
 */
export function qualityOf(
  kurators: readonly Kurator[],
  all: readonly Incident[],
  from: number | undefined,
  now: number,
): Quality[] {
  return kurators.flatMap(({ metadata, status }) => {
    const { history } = (status?.memory ?? {}) as { history?: History };
    if (!history) return [];
    const { name, namespace = '' } = metadata;
    const isOpen = (one: Incident) =>
      one.spec.service === name && one.metadata.namespace === namespace && !one.status?.closedAt;
    const since = from ?? history.since;
    return [
      { namespace, service: name, open: all.filter(isOpen).length, ...figures(history, { from: since, to: now }) },
    ];
  });
}

export function qualityView({ namespace }: Columns): View<Quality> {
  const length = (time: number | undefined) => (time === undefined ? undefined : duration(time));
  return {
    headings: [
      ...(namespace ? ['NAMESPACE'] : []),
      'SERVICE',
      'INCIDENTS',
      'OPEN',
      'REPAIRS',
      'MTTD',
      'MTTR',
      'AVAILABILITY',
      'FULL HEALTH',
    ],
    toned: '',
    row: (quality) => [
      ...(namespace ? [quality.namespace] : []),
      quality.service,
      String(quality.incidents),
      String(quality.open),
      String(quality.repairs),
      length(quality.meanTimeToDetect),
      length(quality.meanTimeToRecover),
      percent(quality.availability),
      percent(quality.fullHealth),
    ],
  };
}

/** Cut off, never rounded up: 99.999 % is not all of the time. */
function percent(share: number): string {
  return `${(Math.floor(share * 100_000) / 1000).toFixed(3)} %`;
}

/** As `kurator get` prints it. */
export function kuratorView({ namespace, wide }: Columns): View<Kurator> {
  const more = wide ? ['AVAILABILITY', 'MTTD', 'MTTR', 'REVISION', 'DECISION'] : [];
  return {
    headings: [...(namespace ? ['NAMESPACE'] : []), 'NAME', 'HEALTH', 'READY', 'INCIDENT', 'SINCE', 'AGE', ...more],
    toned: 'HEALTH',
    row: ({ metadata, status = {} }, now) => {
      const { health, ready, incident, lastIncident, lastIncidentAt } = status;
      const { decision, availability, mttd, mttr, revision } = status;
      return [
        ...(namespace ? [metadata.namespace] : []),
        metadata.name,
        health,
        ready,
        incident ?? (lastIncident && `(${lastIncident})`),
        lastIncidentAt && age(lastIncidentAt, now),
        age(metadata.creationTimestamp ?? '', now),
        ...(wide ? [availability, mttd, mttr, revision, decision] : []),
      ];
    },
  };
}
