/** An incident as it unfolds: each thing that Kurator sees, decides, does and tells, in a newcomer's words. Pure. */

import type { Tone } from '@kurator/command';
import type { Incident } from '@kurator/kubectl-kurator';
import { causeInWords, type Incident as Known, type Stage, type Transition } from '@kurator/operator-kurator/brain';

/** One thing that happened. */
export interface Happening {
  /** The same however often it is looked at. */
  readonly id: string;
  readonly at: number;
  readonly service: string;
  /** One word for what sort of thing it is. */
  readonly word: string;
  readonly text: string;
  readonly tone?: Tone;
}

interface Manner {
  readonly word: string;
  readonly tone?: Tone;
}

/** How a stage is told; those that are left out say nothing that the lines around them don't. */
const manners: Readonly<Partial<Record<Stage, Manner>>> = {
  suspected: { word: 'suspects', tone: 'dim' },
  confirmed: { word: 'finds', tone: 'bad' },
  waitingForDependency: { word: 'waits', tone: 'busy' },
  proposed: { word: 'proposes' },
  verifying: { word: 'verifies' },
  yielded: { word: 'yields' },
  recovered: { word: 'well', tone: 'good' },
  handedOver: { word: 'gives up', tone: 'bad' },
  quarantined: { word: 'gives up', tone: 'bad' },
};

/** Everything on record, in the order in which it happened. */
export function happenings({ metadata, spec, status }: Incident): Happening[] {
  const known = status?.memory as unknown as Known | undefined;
  if (!known) return [];
  const { namespace } = metadata;
  const { service } = spec;
  const happening = (id: string, at: number, { word, tone }: Manner, text: string): Happening => ({
    id: `${metadata.name}/${id}`,
    at,
    service,
    word,
    // All are of one namespace: it would only be in the way.
    text: text.replaceAll(`${namespace}/`, ''),
    ...(tone && { tone }),
  });
  const changes = known.transitions.filter(isWorthTelling).map(({ seq, at, to, reason }) => {
    const said = to === 'verifying' && reason.startsWith('done: ') ? 'done; now to see whether it helped' : reason;
    return happening(`stage ${seq}`, at, manners[to] as Manner, `${service}: ${said}`);
  });
  const deeds = known.attempts
    .flatMap(({ actions }) => actions)
    .map(({ id, reason, intendedAt }) =>
      happening(`action ${id}`, intendedAt, { word: 'repairs', tone: 'busy' }, `${service}: ${reason}`),
    );
  const told = known.notices.map(({ id, at, to, reason }) =>
    happening(`notice ${id}`, at, { word: 'tells' }, `${to}: ${reason}`),
  );
  return [...changes, ...told, ...deeds].toSorted((a, b) => a.at - b.at);
}

/** One that waits for another the moment it is found to fail has no story of its own. */
function isWorthTelling({ to, at }: Transition, index: number, all: readonly Transition[]): boolean {
  const next = all[index + 1];
  if (to === 'confirmed' && next?.to === 'waitingForDependency' && next.at === at) return false;
  return manners[to] !== undefined;
}

/** What an incident was taken for, in words. */
export function causeOf({ status }: Incident): string {
  const words: Readonly<Record<string, string>> = causeInWords;
  return words[status?.cause ?? ''] ?? status?.cause ?? '';
}
