/** A story for tests: a service of three, ten quiet minutes in which it proves itself, and then what happens to it. */
import type { History } from '../incident/history.ts';
import { openAttempt } from '../incident/incident.ts';
import type { ServiceSpec } from '../spec.ts';
import { clusterDefaults, type ServiceInput, serviceSpec } from '../spec-defaults.ts';
import { type Millis, minute, second } from '../time.ts';
import { ailments, type EventName } from './events.ts';
import { beginning, calm, type Run, type Scenario, type SimEvent, simulate } from './simulate.ts';
import { type Illness, serves } from './world.ts';

/** The period, the failures in a row, and the timeout of a story's check. */
export const P = 10 * second;
/** The failures in a row that confirm a fault. */
export const N = 3;
/** The timeout. */
export const T = second;

/** The check that every story's service has. */
export const http = { name: 'http', kind: 'http' as const, period: P, timeout: T, failAfter: N };

/** When the trouble begins. */
export const at: Millis = 10 * minute;

/** The service of a story. */
export function service(input: Partial<ServiceInput> = {}): ServiceSpec {
  return serviceSpec({ name: 'web', checks: [http], ...input });
}

/** Something that happens, so long after the trouble began, to the service at that place. */
export function happens(name: EventName, illness: Illness | number = 0, after = 0, place = 0): SimEvent {
  const arg = typeof illness === 'number' ? illness : ailments.indexOf(illness);
  return { at: at + after, name, service: place, arg };
}

/** How it looked at one moment. */
export interface Moment {
  /** Since the beginning. */
  readonly at: Millis;
  /** Instances that serve, by service. */
  readonly serving: ReadonlyMap<string, number>;
  readonly underRepair: number;
}

/** A story that was told. */
export interface Told extends Run {
  readonly moments: readonly Moment[];
}

/** Tells a story, in which none of the eight rules is broken. */
export function story(events: readonly SimEvent[], change: Partial<Scenario> = {}): Told {
  const moments: Moment[] = [];
  const run = simulate({
    specs: [service()],
    replicas: 3,
    nodes: 3,
    cluster: clusterDefaults,
    chaos: calm,
    seed: 1,
    tick: second,
    length: 30 * minute,
    ...change,
    events,
    after: (now) => {
      moments.push(momentOf(now));
      change.after?.(now);
    },
  });
  if (run.referee.breaches.length > 0) throw new Error(JSON.stringify(run.referee.breaches));
  return { ...run, moments };
}

function momentOf({ world, operator }: Run): Moment {
  const serving = new Map<string, number>();
  for (const [name, { instances }] of world.services) {
    serving.set(name, instances.filter((one) => serves(world, one)).length);
  }
  const attempts = [...operator.records.histories.values()].map(({ incident }) => incident && openAttempt(incident));
  const underRepair = attempts.filter((attempt) => attempt && attempt.step !== 'kubernetes').length;
  return { at: world.now - beginning, serving, underRepair };
}

/** What is remembered of a service in the end. */
export function historyOf({ operator }: Run, name = 'web'): History {
  const history = operator.records.histories.get(name);
  if (!history) throw new Error(`no history of ${name}`);
  return history;
}

/** The ids of all actions that were done to a service. */
export function doneTo({ world }: Run, name = 'web'): string[] {
  return [...(world.services.get(name)?.applied ?? [])];
}

/** Everything that people were told about a service. */
export function toldAbout({ operator }: Run, name = 'web'): string[] {
  return operator.records.notifications.filter((one) => one.service === name).flatMap(({ lines }) => lines);
}
