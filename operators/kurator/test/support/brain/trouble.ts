/** A service of three with some trouble, for tests of what the brain makes of it. */

import type { Cause } from '../../../src/brain/diagnosis/cause.ts';
import type {
  CheckResult,
  DependencyObservation,
  InstanceObservation,
  NodeObservation,
  Observation,
  PathSample,
} from '../../../src/brain/observation.ts';
import { windowSize } from '../../../src/brain/perception/packet-loss.ts';
import { freshPerception, type Perception, perceive } from '../../../src/brain/perception/perception.ts';
import { type ServiceInput, serviceSpec } from '../../../src/brain/spec-defaults.ts';
import { hour, second } from '../../../src/brain/time.ts';

export const now = 1_800_000_000 * second;
export const uids = ['a', 'b', 'c'];

/** What is so, besides that all is well. */
export interface Trouble {
  /** What the last results of each instance's check were, by uid; healthy unless given. */
  readonly errors?: Readonly<Record<string, string>>;
  /** How many of the last results are like that, by uid; ten unless given. */
  readonly failures?: Readonly<Record<string, number>>;
  readonly serviceError?: string;
  readonly instances?: Readonly<Record<string, Partial<InstanceObservation>>>;
  readonly nodes?: Readonly<Record<string, Partial<NodeObservation>>>;
  /** The share lost on the way to an instance from a vantage point, as in `n9>a`. */
  readonly loss?: Readonly<Record<string, number>>;
  /** How many openings were measured on each path; two windows unless given. */
  readonly openings?: Readonly<Record<string, number>>;
  readonly latencies?: Readonly<Record<string, number>>;
  readonly dependencies?: readonly DependencyObservation[];
  readonly workload?: Partial<Observation['workload']>;
  readonly spec?: Partial<ServiceInput>;
  readonly proven?: readonly string[];
  /** Revisions that worked for a while. */
  readonly wellAtFirst?: readonly string[];
  readonly givenUp?: readonly Cause[];
  readonly seenAt?: number;
}

const period = 10 * second;

/** Has every check count: all of them have passed before. */
export const everyCheck = () => true;

export function specOf({ spec, serviceError }: Trouble) {
  const through = serviceError ? [{ name: 'through', through: 'service' as const, period }] : [];
  return serviceSpec({ name: 'web', checks: [{ name: 'http', period }, ...through], ...spec });
}

export function observe(trouble: Trouble): Observation {
  return {
    at: trouble.seenAt ?? now,
    workload: {
      desired: 3,
      generation: 1,
      revision: 'r1',
      revisions: ['r1'],
      rollout: 'settled',
      paused: false,
      ...trouble.workload,
    },
    instances: uids.map((uid, index) => ({
      name: `web-${uid}`,
      uid,
      node: index === 0 ? 'n1' : 'n2',
      revision: 'r1',
      createdAt: now - hour,
      terminating: false,
      ready: true,
      readySince: now - hour,
      containers: [{ name: 'main', state: 'running', restarts: 0, startedAt: now - hour }],
      ...trouble.instances?.[uid],
    })),
    nodes: ['n1', 'n2'].map((name) => ({
      name,
      ready: 'true',
      since: now - hour,
      gone: false,
      ...trouble.nodes?.[name],
    })),
    dependencies: trouble.dependencies ?? [],
    dependants: [],
    answers: [],
    orders: { approved: [], resumed: [] },
  };
}

/** Fifty healthy results of every check, then ten as the trouble has it. */
function results({ errors = {}, failures = {}, serviceError, latencies = {} }: Trouble): CheckResult[] {
  const run = (target: string, check: string, index: number, errorKind: string | undefined): CheckResult => {
    const base = { target, check, at: now - (60 - index) * second, latencyMs: 20 };
    const isLast = index >= 60 - (failures[target] ?? 10);
    if (errorKind === 'unknown' && isLast) return { ...base, outcome: 'unknown' };
    if (errorKind && isLast) return { ...base, outcome: 'failing', errorKind };
    return { ...base, outcome: 'healthy', latencyMs: isLast ? (latencies[target] ?? 20) : 20 };
  };
  return Array.from({ length: 60 }, (_, index) => index).flatMap((index) => [
    ...uids.map((uid) => run(uid, 'http', index, errors[uid])),
    ...(serviceError ? [run('service', 'through', index, serviceError)] : []),
  ]);
}

function samples({ loss = {}, openings = {} }: Trouble): PathSample[] {
  return Object.entries(loss).flatMap(([path, share]) => {
    const [from = '', to = ''] = path.split('>');
    const length = openings[path] ?? 2 * windowSize;
    return Array.from({ length }, (_, index) => {
      const isLost = share > 0 && index % Math.round(1 / share) === 0;
      return { from, to, at: now - (length - index) * second, connectMs: isLost ? 1002 : 0.4, opened: true };
    });
  });
}

export function perceptionOf(trouble: Trouble): Perception {
  const { instances } = observe(trouble);
  return perceive(specOf(trouble), freshPerception, {
    results: results(trouble),
    samples: samples(trouble),
    instances,
  });
}
