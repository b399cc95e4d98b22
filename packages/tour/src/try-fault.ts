/** One fault of the tour, from its beginning until all are well: what came of it, and whether it is what had to come. */
import { disturbedOf, type Incident } from '@kurator/kubectl-kurator';
import { podsOf, type TourFault } from './faults.ts';
import type { Shop } from './open-shop.ts';
import { services } from './shop.ts';
import { causeOf } from './story.ts';
import type { Claim, Outcome } from './summary.ts';

/** A repair takes seconds; a machine that does ten other things is no reason to fail. */
const PATIENCE = 150_000;

export async function tryFault(shop: Shop, fault: TourFault): Promise<Outcome> {
  const { client, cluster, watch, customers } = shop;
  const before = await podsOf(client);
  const served = customers.served();
  const beganAt = Date.now();
  const victim = await fault.inject(cluster, client);
  const isOver = () =>
    ['recovered', 'closed'].includes(watch.incidentOf(fault.service)?.status?.stage ?? '') &&
    watch.wellServices() === services.length &&
    shop.sink.received.some(({ service, severity }) => service === fault.service && severity === 'resolved');
  const isWell = await watch.until(isOver, PATIENCE);
  const after = await podsOf(client);
  const targets = before.filter(({ metadata }) => metadata.name === victim);
  const now = customers.served();
  const incident = watch.incidentOf(fault.service);
  return {
    fault: fault.title,
    foundAfter: since(beganAt, incident?.status?.confirmedAt),
    recoveredAfter: since(beganAt, incident?.status?.recoveredAt),
    lost: now.lost - served.lost,
    sent: now.lost + now.answered - served.lost - served.answered,
    done: deedsOf(incident),
    claims: [
      ...claimsOf(fault, incident, victim),
      { text: 'no other pod was touched', holds: disturbedOf(before, targets, after).length === 0 },
      { text: 'all are well again, and on-call was told', holds: isWell },
    ],
  };
}

function since(began: number, at: string | undefined): number | undefined {
  return at === undefined ? undefined : Math.max(0, Date.parse(at) - began);
}

const deedInWords: Readonly<Record<string, string>> = {
  replace: 'replaced',
  rollback: 'rolled back to the revision before',
};

function deedsOf(incident: Incident | undefined): string {
  const actions = incident?.status?.actions ?? [];
  const deeds = actions.map(({ step, targets = [] }) => [deedInWords[step] ?? step, ...targets].join(' '));
  return deeds.join(', then ') || 'nothing';
}

function claimsOf({ service, causes, step }: TourFault, incident: Incident | undefined, victim?: string): Claim[] {
  const { cause = '', actions = [], told = [] } = incident?.status ?? {};
  const dependants = services.filter(({ dependsOn }) => dependsOn.includes(service)).map(({ name }) => name);
  const wasTold = (name: string) =>
    told.some(({ whom, what }) => whom.endsWith(`/${name}`) && what.startsWith('before the repair'));
  const [deed, ...more] = actions;
  const isRight = deed?.step === step && deed.outcome === 'done' && (!victim || deed.targets?.join() === victim);
  return [
    { text: `the cause was found: ${incident ? causeOf(incident) : 'none'}`, holds: causes.includes(cause) },
    { text: `it was repaired by one step, ${step}`, holds: isRight && more.length === 0 },
    { text: `told before the repair: ${dependants.join(' and ')}`, holds: dependants.every(wasTold) },
  ];
}
