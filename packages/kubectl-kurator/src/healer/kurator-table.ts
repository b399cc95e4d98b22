/** Services as a table, as `kurator get` prints it. Pure. */
import { age } from '@kurator/command';
import type { Kurator } from './kinds.ts';
import type { Columns, View } from './view.ts';

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
