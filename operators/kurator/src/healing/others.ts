import type { Others } from './alerting.ts';
import type { Round } from './case.ts';

/** How all other components do, in a word each: the control plane, the nodes, and every service, the worst first. */
export function othersOf({ ward, mind, context, now }: Pick<Round, 'ward' | 'mind' | 'context' | 'now'>): Others {
  const sources = {
    services: ward.weather.all(),
    conditionOf: (name: string) => ward.minds.get(name)?.evidence?.condition,
    look: context,
    heardAt: ward.contact.currentAt(),
  };
  return ward.overview.others(mind.name, sources, now);
}
