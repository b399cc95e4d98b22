/**
 * All services together: how many fail, how many are under repair, and whether that is a storm. In a storm the services
 * are hardly the cause, and the more is done at once, the worse it gets.
 */
import type { Budget, ClusterSpec } from '../spec.ts';
import { inWords, type Millis } from '../time.ts';
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
}

/** What a survey found. */
export interface Survey {
  readonly view: ClusterView;
  readonly history: ClusterHistory;
  /** How many have begun to fail lately, for a reason of their own. */
  readonly failing: number;
}

/** Counts once for a whole round of thoughts; {@link withOneMore} counts on with each repair that begins in it. */
export function survey(
  spec: ClusterSpec,
  services: readonly ServiceSummary[],
  before: ClusterHistory,
  now: Millis,
): Survey {
  let failing = 0;
  let active = 0;
  let recent = 0;
  let lastAt = Number.NEGATIVE_INFINITY;
  for (const service of services) {
    if (now - (service.failingSince ?? Number.NEGATIVE_INFINITY) <= spec.storm.within) failing++;
    if (service.underRepair) active++;
    for (const at of service.repairs) {
      if (now - at < spec.budget.per) recent++;
      lastAt = Math.max(lastAt, at);
    }
  }
  const history = weather(spec, failing, services.length, before, now);
  const isStorm = history.stormSince !== undefined;
  const coolDown = isStorm ? spec.storm.coolDown : 0;
  const view: ClusterView = {
    active,
    atOnce: isStorm ? Math.min(spec.storm.concurrent, spec.concurrent) : spec.concurrent,
    recent,
    budget: spec.budget,
    notBefore: lastAt + coolDown,
    coolDown,
    ...(isStorm && { stormSince: history.stormSince }),
  };
  return { view, history, failing };
}

/** Why a repair must not begin now; undefined when it may. */
export function refuses(view: ClusterView, now: Millis): string | undefined {
  const { active, atOnce, recent, budget, notBefore, coolDown, stormSince } = view;
  const how = stormSince === undefined ? '' : ', for there is a storm';
  if (active >= atOnce) return `${active} services are under repair, and no more than ${atOnce} may be${how}`;
  if (recent >= budget.repairs)
    return `the cluster's budget of ${budget.repairs} repairs in ${inWords(budget.per)} is spent`;
  return now < notBefore ? `repairs begin at least ${inWords(coolDown)} apart${how}` : undefined;
}

/** The view after a repair has begun: whoever thinks next in the same round has to know. */
export function withOneMore(view: ClusterView, now: Millis): ClusterView {
  return { ...view, active: view.active + 1, recent: view.recent + 1, notBefore: now + view.coolDown };
}

function weather(spec: ClusterSpec, failing: number, all: number, before: ClusterHistory, now: Millis): ClusterHistory {
  const { share, services, calm } = spec.storm;
  const { stormSince, stormyAt } = before;
  if (failing >= services && failing >= share * all) return { stormSince: stormSince ?? now, stormyAt: now };
  const goesOn = stormSince !== undefined && stormyAt !== undefined && now - stormyAt < calm;
  return goesOn ? before : {};
}
