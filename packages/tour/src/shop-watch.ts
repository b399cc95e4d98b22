/** What Kurator says of the shop, as it changes: how each service is, and every incident. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@kurator/client';
import { type Incident, incidents, type Kurator, kurators, watchAll } from '@kurator/kubectl-kurator';
import type { History } from '@kurator/operator-kurator/brain';
import type { Health } from './matrix.ts';
import { NAMESPACE, services } from './shop.ts';

/** Who wants to know. */
export interface Listener {
  onHealth(before: Health, now: Health): void;
  onIncident(incident: Incident): void;
}

const BETWEEN_LOOKS = 100;

export interface ShopWatch {
  health(): readonly Health[];
  /** How many have all their instances well. One failed check alone is only a suspicion. */
  wellServices(): number;
  /** How many of those run a revision that was seen well for long enough to be gone back to. */
  provenServices(): number;
  /** The newest of a service. */
  incidentOf(service: string): Incident | undefined;
  /** Whether it becomes so in time. */
  until(isSo: () => boolean, milliseconds: number): Promise<boolean>;
}

/** Until the signal. */
export function watchShop(client: Client, listener: Listener, signal: AbortSignal): ShopWatch {
  const states = new Map<string, Kurator>();
  const known = new Map<string, Incident>();
  const healthOf = (name: string): Health => {
    const { health, ready } = states.get(name)?.status ?? {};
    return { name, state: health, ready };
  };
  const onKurator = (kurator: Kurator) => {
    const { name } = kurator.metadata;
    const before = healthOf(name);
    states.set(name, kurator);
    const now = healthOf(name);
    if (before.state !== now.state || before.ready !== now.ready) listener.onHealth(before, now);
  };
  const onIncident = (incident: Incident) => {
    known.set(incident.metadata.name, incident);
    listener.onIncident(incident);
  };
  const where = { client, namespace: NAMESPACE, signal };
  const ended = Promise.race([
    watchAll({ ...where, type: kurators, onAll: (all) => all.forEach(onKurator), onChange: onKurator }),
    watchAll({ ...where, type: incidents, onAll: (all) => all.forEach(onIncident), onChange: onIncident }),
  ]);
  ended.catch(() => {});
  return {
    health: () => services.map(({ name }) => healthOf(name)),
    wellServices: () => services.filter(({ name }) => isWell(states.get(name))).length,
    provenServices: () =>
      services.map(({ name }) => states.get(name)).filter((one) => isWell(one) && isProven(one)).length,
    incidentOf: (service) =>
      [...known.values()]
        .filter(({ spec }) => spec.service === service)
        .toSorted((a, b) => b.spec.startedAt.localeCompare(a.spec.startedAt))[0],
    until: async (isSo, milliseconds) => {
      const deadline = Date.now() + milliseconds;
      while (!isSo()) {
        if (Date.now() > deadline) return false;
        await Promise.race([ended, delay(BETWEEN_LOOKS, undefined, { signal })]);
      }
      return true;
    },
  };
}

function isWell(kurator: Kurator | undefined): boolean {
  const { health = '', healthyInstances, desiredInstances = 0 } = kurator?.status ?? {};
  return ['Healthy', 'Suspect'].includes(health) && desiredInstances > 0 && healthyInstances === desiredInstances;
}

function isProven(kurator: Kurator | undefined): boolean {
  const memory = kurator?.status?.memory as { history?: Pick<History, 'revisions'> } | undefined;
  return (memory?.history?.revisions.healthy.length ?? 0) > 0;
}
