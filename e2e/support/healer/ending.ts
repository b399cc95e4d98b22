/** What holds at the end of every story, whatever it was about: the four assertions that the resilience suite makes each time. */
import { Incident, Kurator } from '@kurator/operator-kurator';
import { mayFollow, type Stage } from '@kurator/operator-kurator/brain';
import { type Client, Pod } from '@kurator/sdk';
import { expect } from 'vitest';
import { type AuditedRequest, isForbidden } from './audit.ts';
import type { Witness } from './witness.ts';

/** What a story expects to have changed; everything else must be as it was. */
export interface Held {
  /**
   * Pods that were ill, or were meant to be replaced or restarted. Every other pod of the beginning must still be there,
   * the same one and not restarted, and no pod but these may have been evicted. Empty: nobody may have been touched.
   */
  readonly touched?: readonly Pod[];
  /** Services whose pods are of no interest: all of them were meant to change, as by a deploy of the story's own. */
  readonly changed?: readonly string[];
  /** Services that are meant to end ill, in a person's hands; all others must be healthy, without an open Incident. */
  readonly ill?: readonly string[];
}

/** A pod as it was when the story began. */
export interface Remembered {
  readonly pod: Pod;
  readonly service: string;
}

/** What is looked at. */
export interface Scene {
  readonly client: Client;
  readonly namespace: string;
  readonly witness: Witness;
  readonly remembered: readonly Remembered[];
  /** Everything that the operator has asked for. */
  readonly requests: readonly AuditedRequest[];
}

/** The fault is gone: every service is healthy with all of its instances, and has no Incident open. */
export async function expectWell(
  { client, namespace }: Pick<Scene, 'client' | 'namespace'>,
  { ill = [] }: Held,
): Promise<void> {
  const { items } = await client.list(Kurator, { namespace });
  const states = items
    .filter(({ metadata }) => !ill.includes(metadata.name))
    .map(({ metadata: { name }, status = {} }) => {
      const { health, healthyInstances, desiredInstances, incident } = status;
      const isWell = health === 'Healthy' && healthyInstances === desiredInstances && incident === undefined;
      return `${name}: ${isWell ? 'well' : JSON.stringify({ health, healthyInstances, desiredInstances, incident })}`;
    });
  expect(states).toEqual(states.map((state) => `${state.split(':')[0]}: well`));
}

/** Nothing healthy was touched: all pods but those that may be are the same as before, and nobody has evicted them. */
export async function expectUntouched({ client, remembered, requests }: Scene, held: Held): Promise<void> {
  const { touched = [], changed = [] } = held;
  const mayDiffer = new Set(touched.map(({ metadata }) => metadata.uid));
  const after = new Map((await client.list(Pod)).items.map((pod) => [pod.metadata.uid, pod]));
  const differing = remembered
    .filter(({ pod, service }) => !mayDiffer.has(pod.metadata.uid) && !changed.includes(service))
    .flatMap(({ pod }) => {
      const now = after.get(pod.metadata.uid);
      const isSame = now && !now.metadata.deletionTimestamp && containersOf(now) === containersOf(pod);
      return isSame ? [] : `${pod.metadata.name}: ${now ? containersOf(now) : 'gone'}`;
    });
  expect(differing, 'pods that were well, and are not as they were').toEqual([]);
  const allowed = new Set(touched.map(({ metadata }) => metadata.name));
  const evicted = requests.flatMap((request) => evictedBy(request) ?? []);
  const wrong = evicted.filter((name) => !allowed.has(name) && !changed.some((app) => name.startsWith(`${app}-`)));
  expect(wrong, 'pods that were evicted, and were not ill').toEqual([]);
}

/** The log of every Incident holds every transition: numbered without a gap, each one legal, and all that a watch has seen. */
export async function expectLogged({ client, namespace, witness }: Scene): Promise<void> {
  const { items } = await client.list(Incident, { namespace });
  for (const { metadata, status } of items) {
    const log = status?.stages ?? [];
    const stages = log.map(({ stage }) => stage as Stage);
    expect(
      log.map(({ seq }) => seq),
      `the log of ${metadata.name}`,
    ).toEqual(log.map((_, index) => index + 1));
    expect(stages[0], `how ${metadata.name} began`).toBe('suspected');
    const illegal = stages.slice(1).filter((stage, index) => !mayFollow[stages[index] as Stage].includes(stage));
    expect(illegal, `in ${metadata.name}: ${stages.join(' → ')}`).toEqual([]);
    const times = log.map(({ at }) => at);
    expect(times, `the times of ${metadata.name}`).toEqual(times.toSorted());
    const seen = witness.stagesOf(metadata.name).map(({ value }) => value);
    const missing = notInOrder(
      seen.filter((stage) => stage !== 'closed'),
      stages,
    );
    expect(missing, `seen of ${metadata.name} (${seen.join(' → ')}), and not in ${stages.join(' → ')}`).toEqual([]);
  }
}

/**
 * The operator asked for nothing that its roles don't give it. An API server that has only just started knows nobody's
 * roles yet: what it refuses then, and gives to the same request later, is within them.
 */
export function expectWithinRoles(requests: readonly AuditedRequest[]): void {
  const given = new Set(requests.filter((request) => !isForbidden(request)).map(asked));
  const forbidden = requests.filter(isForbidden).map(asked);
  expect([...new Set(forbidden)].filter((one) => !given.has(one))).toEqual([]);
}

function asked({ verb, requestURI }: AuditedRequest): string {
  return `${verb} ${requestURI.split('?')[0]}`;
}

/** Which containers run in it: another id is another start. */
function containersOf({ status }: Pod): string {
  const containers = status?.containerStatuses ?? [];
  return containers.map(({ name, containerID, restartCount }) => `${name} ${containerID} #${restartCount}`).join();
}

function evictedBy({ verb, requestURI, responseStatus }: AuditedRequest): string | undefined {
  if (verb !== 'create' || (responseStatus?.code ?? 500) >= 300) return undefined;
  return /\/pods\/([^/]+)\/eviction/.exec(requestURI)?.[1];
}

/** Those of `seen` that are left over when it is read along `all`. */
function notInOrder<T>(seen: readonly T[], all: readonly T[]): T[] {
  let next = 0;
  return seen.filter((one) => {
    const found = all.indexOf(one, next);
    if (found < 0) return true;
    next = found + 1;
    return false;
  });
}
