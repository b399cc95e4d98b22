/**
 * All services together: how many fail, how many are under repair, and whether that is a storm. In a storm the services
 * are hardly the cause, and the more is done at once, the worse it gets.
 */
import type { Budget, ClusterSpec } from '../spec.ts';
import { inWords, type Millis, second } from '../time.ts';
import type { ServiceSummary } from './summary.ts';

/** What is remembered between two surveys. Losing it costs nothing but the calm after a storm. */
export interface ClusterHistory {
  /** When there was last reason to call it a storm. */
  readonly stormyAt?: Millis;
  /** Since when there has been one. */
  readonly stormSince?: Millis;
}

/** What one service has to know about all. */
export interface ClusterView {
  /** Since when there has been a storm; missing when there is none. */
  readonly stormSince?: Millis;
  /** Services under repair, and how many may be. */
  readonly active: number;
  readonly atOnce: number;
  /** Repairs within the budget's time. */
  readonly recent: number;
  readonly budget: Budget;
  /** Before this no repair begins. */
  readonly notBefore: Millis;
  readonly coolDown: Millis;
  /** What its own namespace has taken of that, and may take; missing where no other namespace needs any. */
  readonly share?: NamespaceShare;
  /** So many namespaces come before its own, and leave it nothing; missing where they don't. Which is not its business. */
  readonly after?: number;
}

/** What one namespace has taken of what is there for all, and how much of it is its own at most. */
export interface NamespaceShare {
  readonly namespace: string;
  readonly active: number;
  readonly atOnce: number;
  readonly recent: number;
  readonly repairs: number;
}

interface Counts {
  readonly active: number;
  readonly recent: number;
  /** When its last repair began, and when one of its services was last seen to wait for the next. */
  readonly lastAt: Millis;
  readonly waitedAt: Millis;
}

/** What a survey found. */
export interface Survey {
  readonly at: Millis;
  /** As it is for all; {@link viewFor} adds what is one service's own. */
  readonly view: ClusterView;
  readonly history: ClusterHistory;
  /** How many have begun to fail lately, for a reason of their own. */
  readonly failing: number;
  readonly namespaces: ReadonlyMap<string, Counts>;
  readonly namespaceShare: number;
}

const never = Number.NEGATIVE_INFINITY;
const none: Counts = { active: 0, recent: 0, lastAt: never, waitedAt: never };
/** Who waits looks again every few seconds. Who was not seen to for this long is not there to take its turn. */
const waitsFor = 30 * second;

/** Counts once for a whole round of thoughts; {@link withOneMore} counts on with each repair that begins in it. */
export function survey(
  spec: ClusterSpec,
  services: readonly ServiceSummary[],
  before: ClusterHistory,
  now: Millis,
): Survey {
  let failing = 0;
  const total = { active: 0, recent: 0 };
  let lastAt = never;
  const namespaces = new Map<string, { -readonly [key in keyof Counts]: number }>();
  for (const service of services) {
    if (now - (service.failingSince ?? Number.NEGATIVE_INFINITY) <= spec.storm.within) failing++;
    const own = namespaces.get(namespaceOf(service.name)) ?? { ...none };
    namespaces.set(namespaceOf(service.name), own);
    const active = Number(now <= (service.underRepairUntil ?? Number.NEGATIVE_INFINITY));
    const recent = service.repairs.filter((at) => now - at < spec.budget.per).length;
    for (const counts of [total, own]) {
      counts.active += active;
      counts.recent += recent;
    }
    own.waitedAt = Math.max(own.waitedAt, service.waitedAt ?? never);
    own.lastAt = Math.max(own.lastAt, service.repairs.at(-1) ?? never);
    lastAt = Math.max(lastAt, own.lastAt);
  }
  const history = stormHistory(spec, failing, services.length, before, now);
  const isStorm = history.stormSince !== undefined;
  const coolDown = isStorm ? spec.storm.coolDown : 0;
  const view: ClusterView = {
    ...total,
    atOnce: isStorm ? Math.min(spec.storm.concurrent, spec.concurrent) : spec.concurrent,
    budget: spec.budget,
    notBefore: lastAt + coolDown,
    coolDown,
    ...(isStorm && { stormSince: history.stormSince }),
  };
  return { at: now, view, history, failing, namespaces, namespaceShare: spec.namespaceShare };
}

/** What one service has to know, by its full name. A namespace that is alone shares with nobody. */
export function viewFor({ at, view, namespaces, namespaceShare }: Survey, service: string): ClusterView {
  const namespace = namespaceOf(service);
  const isAlone = namespaces.size < 2 && (namespaces.size === 0 || namespaces.has(namespace));
  if (isAlone) return view;
  const shareOf = (whole: number) => Math.max(Math.min(1, whole), Math.ceil(whole * namespaceShare));
  const { active, recent, lastAt } = namespaces.get(namespace) ?? none;
  const most = { atOnce: shareOf(view.atOnce), repairs: shareOf(view.budget.repairs) };
  const isFree = (one: Counts) => one.active < most.atOnce && one.recent < most.repairs;
  const waiting = [...namespaces].filter(([, one]) => at - one.waitedAt <= waitsFor && isFree(one));
  const after = waiting.filter(([name, one]) => isBefore({ name, ...one }, { name: namespace, lastAt }));
  const left = Math.min(view.atOnce - view.active, view.budget.repairs - view.recent);
  const isLater = after.length > 0 && after.length >= left;
  return {
    ...view,
    share: { namespace, active, recent, ...most },
    ...(isLater && { after: after.length }),
  };
}

type Turn = Pick<Counts, 'lastAt'> & { readonly name: string };

/** Whose last repair is longer ago comes first: so there is always one who does, and whoever waits is the first in the end. */
function isBefore(one: Turn, other: Turn): boolean {
  return one.lastAt === other.lastAt ? one.name < other.name : one.lastAt < other.lastAt;
}

/** Why a repair must not begin now; undefined when it may. */
export function refuses(view: ClusterView, now: Millis): string | undefined {
  const { active, atOnce, recent, budget, notBefore, coolDown, stormSince, share, after } = view;
  const how = stormSince === undefined ? '' : ', for there is a storm';
  const per = inWords(budget.per);
  if (active >= atOnce) return `${active} services are under repair, and no more than ${atOnce} may be${how}`;
  if (recent >= budget.repairs) return `the cluster's budget of ${budget.repairs} repairs in ${per} is spent`;
  if (share && share.active >= share.atOnce)
    return `${share.active} services of namespace ${share.namespace} are under repair, and its share is ${share.atOnce}${how}`;
  if (share && share.recent >= share.repairs)
    return `the share of namespace ${share.namespace}, ${share.repairs} of the cluster's ${budget.repairs} repairs in ${per}, is spent`;
  if (after) return `it is the turn of other namespaces, whose last repairs are longer ago${how}`;
  return now < notBefore ? `repairs begin at least ${inWords(coolDown)} apart${how}` : undefined;
}

/** The survey after a repair of a service has begun: whoever thinks next in the same round has to know. */
export function withOneMore(before: Survey, service: string, now: Millis): Survey {
  const namespace = namespaceOf(service);
  const own = before.namespaces.get(namespace) ?? none;
  const { view } = before;
  return {
    ...before,
    view: { ...view, ...oneMore(view), notBefore: now + view.coolDown },
    namespaces: new Map(before.namespaces).set(namespace, { ...own, ...oneMore(own), lastAt: now }),
  };
}

function oneMore({ active, recent }: Pick<Counts, 'active' | 'recent'>): Pick<Counts, 'active' | 'recent'> {
  return { active: active + 1, recent: recent + 1 };
}

/** Of `namespace/name`. */
export function namespaceOf(service: string): string {
  return service.includes('/') ? service.slice(0, service.indexOf('/')) : '';
}

function stormHistory(
  spec: ClusterSpec,
  failing: number,
  all: number,
  before: ClusterHistory,
  now: Millis,
): ClusterHistory {
  const { share, services, calm } = spec.storm;
  const { stormSince, stormyAt } = before;
  if (failing >= services && failing >= share * all) return { stormSince: stormSince ?? now, stormyAt: now };
  const goesOn = stormSince !== undefined && stormyAt !== undefined && now - stormyAt < calm;
  return goesOn ? before : {};
}
