/**
 * Makes faults, remembers them and heals them. It lives in the supervisor: it is the parent of everything in a cluster,
 * and it lives as long as the cluster does, so that anybody can heal what somebody else began.
 *
 * When the cluster goes down nothing is healed. All that a fault consists of (rules, processes, files) is inside what
 * goes down with the cluster.
 */

import { messageOf, TestenvError } from '../../error.ts';
import type { FaultRecord } from '../fault-record.ts';
import {
  describeFault,
  type FaultKindName,
  type FaultRequest,
  parseFaultRequest,
  type RequestOf,
} from '../fault-request.ts';
import { toMilliseconds } from '../requests/duration.ts';
import { burnCpu, burnMemory } from './burn.ts';
import { hang, powerOff, stop } from './components.ts';
import { delay, refuse } from './connections.ts';
import type { Inject } from './fault.ts';
import { drop, partition, unplug } from './packets.ts';
import { freeze, kill } from './processes.ts';
import type { TargetCluster } from './target-cluster.ts';
import { fill } from './volumes.ts';

/** What makes each kind of fault. */
export type Makers = { readonly [K in FaultKindName]: Inject<RequestOf<K>> };

const realMakers: Makers = {
  kill,
  freeze,
  drop,
  partition,
  unplug,
  refuse,
  delay,
  fill,
  'burn-cpu': burnCpu,
  'burn-memory': burnMemory,
  stop,
  hang,
  'power-off': powerOff,
};

/** A cluster's faults, as its supervisor holds them. */
export interface FaultInjector {
  /** Checks a request and carries it out; a fault that could only be made in part is undone. */
  inject(request: unknown): Promise<FaultRecord>;
  /** What there is to heal, oldest first. */
  list(): FaultRecord[];
  /** Undoes a fault. One that is not there, or no longer, is healed. */
  heal(id: string): Promise<void>;
  /** Undoes all faults, newest first. */
  healAll(): Promise<void>;
}

interface ActiveFault {
  readonly description: string;
  readonly claims: string[];
  readonly steps: (() => Promise<void>)[];
  record: FaultRecord | undefined;
  timer?: NodeJS.Timeout;
  healing?: Promise<void> | undefined;
}

/** Holds the faults of one cluster; `makers` are the real ones, except in tests. */
export function createFaultInjector(cluster: TargetCluster, makers: Makers = realMakers): FaultInjector {
  const faults = new Map<string, ActiveFault>();
  let last = 0;

  async function inject(value: unknown): Promise<FaultRecord> {
    const request = parseFaultRequest(value);
    const id = String(++last);
    const fault: ActiveFault = { description: describeFault(request), claims: [], steps: [], record: undefined };
    faults.set(id, fault);
    try {
      await make(request, id, fault);
    } catch (error) {
      // What can't be undone now stays in the list, so that it can be healed later.
      await undo(id, fault).catch(() => begin(request, id, fault));
      throw error;
    }
    return begin(request, id, fault);
  }

  async function make(request: FaultRequest, id: string, fault: ActiveFault): Promise<void> {
    const maker = makers[request.kind] as Inject<FaultRequest>;
    await maker(request, {
      id,
      cluster,
      claim(path) {
        refuseTaken(path, faults);
        fault.claims.push(path);
      },
      onHeal: (step) => fault.steps.push(step),
    });
  }

  function begin(request: FaultRequest, id: string, fault: ActiveFault): FaultRecord {
    const now = Date.now();
    const duration = toMilliseconds(request.for);
    const record: FaultRecord = {
      id,
      kind: request.kind,
      request,
      description: fault.description,
      since: new Date(now).toISOString(),
      ...(duration === undefined ? {} : { until: new Date(now + duration).toISOString() }),
    };
    // What can't be undone, such as a killed process, is over as soon as it is done.
    if (fault.steps.length === 0) faults.delete(id);
    else fault.record = record;
    if (duration !== undefined) fault.timer = setTimeout(() => void heal(id).catch(() => {}), duration);
    return record;
  }

  async function undo(id: string, fault: ActiveFault): Promise<void> {
    clearTimeout(fault.timer);
    const failures = await undoSteps(fault.steps);
    if (failures.length > 0) {
      const reasons = failures.map(messageOf).join('; ');
      throw new TestenvError('KUR_TESTENV_FAULT', `fault ${id} (${fault.description}) is not healed: ${reasons}`, {
        remedy: 'heal it again: what did not work is tried once more',
        cause: failures[0],
      });
    }
    faults.delete(id);
  }

  async function heal(id: string): Promise<void> {
    const fault = faults.get(id);
    // One that is still being made is not there yet.
    if (!fault?.record) return;
    fault.healing ??= undo(id, fault).finally(() => {
      fault.healing = undefined;
    });
    await fault.healing;
  }

  return {
    inject,
    heal,
    list: () => [...faults.values()].flatMap(({ record }) => record ?? []),
    async healAll() {
      const results: unknown[] = [];
      for (const id of [...faults.keys()].reverse()) await heal(id).catch((error: unknown) => results.push(error));
      if (results.length > 0) throw results[0];
    },
  };
}

/** Newest first; what fails stays in the list, to be tried again. */
async function undoSteps(steps: (() => Promise<void>)[]): Promise<unknown[]> {
  const failures: unknown[] = [];
  const failed: (() => Promise<void>)[] = [];
  for (let step = steps.pop(); step; step = steps.pop()) {
    const tried = step;
    await tried().catch((error: unknown) => {
      failures.push(error);
      failed.unshift(tried);
    });
  }
  steps.push(...failed);
  return failures;
}

function refuseTaken(path: string, faults: ReadonlyMap<string, ActiveFault>): void {
  for (const [id, { claims, description }] of faults) {
    if (!claims.some((claim) => isPart(claim, path) || isPart(path, claim))) continue;
    throw new TestenvError('KUR_TESTENV_FAULT_TAKEN', `fault ${id} (${description}) has its hands on the same thing`, {
      remedy: `heal it first: kurator cluster fault heal ${id}`,
    });
  }
}

function isPart(path: string, whole: string): boolean {
  return path === whole || path.startsWith(`${whole}/`);
}
