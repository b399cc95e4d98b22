/** What is to become of a cluster's pods and claims. Pure. Who is the primary is not decided here. */
import type { Wishes } from './brain/coordinator.ts';
import type { ClusterRecord } from './brain/record.ts';

/** An instance, as Kubernetes has it. */
export interface KnownInstance {
  readonly name: string;
  readonly serial: number;
  readonly pod: 'absent' | 'ending' | 'failed' | 'starting' | 'ready';
  readonly hasClaim: boolean;
  /** Its pod was made of the spec as it is now. */
  readonly upToDate: boolean;
}

export interface Situation {
  readonly wanted: number;
  /** How many replicas are to have a commit; undefined: half of them. */
  readonly synchronous: number | undefined;
  /** By serial. */
  readonly instances: readonly KnownInstance[];
  readonly record: ClusterRecord | undefined;
  /** The cluster has data: it is never begun anew. */
  readonly hasData: boolean;
  /** The instance that a person wants as the primary. */
  readonly switchover: string | undefined;
  readonly nameOf: (serial: number) => string;
}

export interface Plan {
  readonly wishes: Wishes;
  /** Which label each pod is to bear. */
  readonly roles: readonly { readonly name: string; readonly role: 'primary' | 'replica' }[];
  readonly start: readonly { readonly name: string; readonly hasClaim: boolean }[];
  readonly stop: readonly { readonly name: string; readonly why: string }[];
  /** With their data. */
  readonly discard: readonly string[];
  /** What is under way; undefined: everything is as it should be. */
  readonly waits: string | undefined;
}

/** Half of the replicas, rounded up: then a failover needs the promise of a little more than half of them. */
export const synchronousOf = (given: number | undefined, instances: number): number =>
  given ?? Math.ceil((instances - 1) / 2);

export function plan(situation: Situation): Plan {
  const { wanted, instances, record, hasData, nameOf } = situation;
  const primary = record?.stage === 'Serving' ? record.holder : undefined;
  const kept = keptInstances(situation, primary);
  const serials = new Set(instances.map(({ serial }) => serial));
  const fresh: string[] = [];
  // Others are copies of the first: they come once it serves.
  const room = (hasData ? wanted : 1) - kept.length;
  for (let serial = 1; fresh.length < room; serial++) if (!serials.has(serial)) fresh.push(nameOf(serial));
  const names = [...kept.map(({ name }) => name), ...fresh];
  const leaving = instances.filter(({ name }) => !names.includes(name));
  const isLeaderLeaving = primary !== undefined && leaving.some(({ name }) => name === primary);
  const heir = kept.find(({ name, pod }) => name !== primary && pod === 'ready')?.name;
  const inSets = new Set(
    [...(record?.sets ?? []), ...(record?.next ? [record.next] : [])].flatMap(({ names }) => names),
  );

  const start = [
    ...kept.filter(({ pod }) => pod === 'absent'),
    ...fresh.map((name) => ({ name, hasClaim: false })),
  ].map(({ name, hasClaim }) => ({ name, hasClaim }));
  const failed = instances.filter(({ pod }) => pod === 'failed');
  // Nobody goes whom a commit may still have waited for.
  const discard = leaving.map(({ name }) => name).filter((name) => !inSets.has(name) && name !== record?.holder);
  const outdated = outdatedInstance(kept, primary);
  const isLeaderOutdated = outdated !== undefined && outdated.name === primary;
  const stop = [
    ...failed.map(({ name }) => ({ name, why: 'it has ended' })),
    ...(outdated && (outdated.name !== primary || heir === undefined) && start.length === 0 && leaving.length === 0
      ? [{ name: outdated.name, why: 'the spec has changed' }]
      : []),
  ];
  const wishes: Wishes = {
    instances: names,
    durability: 'required',
    synchronous: synchronousOf(situation.synchronous, Math.max(names.length, 1)),
    switchTo: isLeaderLeaving || isLeaderOutdated ? heir : situation.switchover,
    fence: false,
  };
  const roles = instances.map(({ name }) => ({
    name,
    role: name === primary ? ('primary' as const) : ('replica' as const),
  }));
  return {
    wishes,
    roles,
    start,
    stop,
    discard,
    waits: whyWaiting({ ...situation, kept, start, stop, leaving, primary }),
  };
}

/** Who stays when there are too many: the primary, and then those that were there first. */
function keptInstances({ wanted, instances }: Situation, primary: string | undefined): readonly KnownInstance[] {
  const byWorth = instances.toSorted(
    (a, b) => Number(b.name === primary) - Number(a.name === primary) || a.serial - b.serial,
  );
  return byWorth.slice(0, wanted).toSorted((a, b) => a.serial - b.serial);
}

/** One at a time, and only while all others are well. The primary comes last, once it has handed over. */
function outdatedInstance(kept: readonly KnownInstance[], primary: string | undefined): KnownInstance | undefined {
  if (kept.some(({ pod }) => pod !== 'ready')) return undefined;
  const outdated = kept.filter(({ upToDate }) => !upToDate);
  return outdated.find(({ name }) => name !== primary) ?? outdated[0];
}

interface Facts extends Situation {
  readonly kept: readonly KnownInstance[];
  readonly start: Plan['start'];
  readonly stop: Plan['stop'];
  readonly leaving: readonly KnownInstance[];
  readonly primary: string | undefined;
}

function whyWaiting(facts: Facts): string | undefined {
  const { kept, start, stop, leaving, primary, record, wanted, hasData } = facts;
  const [first] = start;
  if (!hasData) return 'waits for the first instance to make the database';
  if (!primary)
    return record?.stage === 'Promoting' ? `waits for ${record.holder} to lead` : 'waits for another primary';
  if (first) return `starts ${first.name}`;
  if (stop[0]) return `stops the pod of ${stop[0].name}: ${stop[0].why}`;
  if (leaving[0]) return `waits for ${leaving[0].name} to leave`;
  const unready = kept.find(({ pod }) => pod !== 'ready');
  if (unready) return `waits for ${unready.name} to be ready`;
  if (kept.length < wanted) return 'waits for instances';
  const late = lateReplica(facts);
  return late && `waits until commits count on ${late.name}`;
}

/** One that is there, and that commits do not count on yet. */
function lateReplica({ kept, primary, record, synchronous }: Facts): KnownInstance | undefined {
  if (synchronousOf(synchronous, kept.length) === 0) return undefined;
  const counted = record?.sets.at(-1)?.names ?? [];
  return kept.find(({ name }) => name !== primary && !counted.includes(name));
}
