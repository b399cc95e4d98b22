/** What a report says, from Incidents as they are recorded. Pure. */
import { onlyTells } from '@kurator/operator-kurator/brain';
import type { Incident } from './kinds.ts';

/** How one ended, or stands: by Kurator, by Kurator had it been allowed, by people, by itself, or not yet. */
export type Ending = 'repaired' | 'wouldRepair' | 'people' | 'itself' | 'open';

/** One incident, as a report tells it. */
export interface Told {
  readonly namespace: string;
  readonly name: string;
  readonly service: string;
  readonly startedAt: string;
  readonly cause: string;
  readonly ending: Ending;
  /** What was done, each step with how often; what would have been done where nothing was. */
  readonly steps: readonly string[];
  /** From its first symptom until it was well again, in milliseconds; missing until it is. */
  readonly lasted?: number;
  readonly downMs: number;
  /** From its confirmation until it was well again. */
  readonly repairMs?: number;
  /** From when people were called, or Kurator would have acted, until it was well again. */
  readonly waitedMs?: number;
}

/** The sums of a namespace, or of all. */
export interface Sums {
  readonly incidents: number;
  readonly repaired: number;
  readonly wouldRepair: number;
  readonly people: number;
  readonly itself: number;
  readonly open: number;
  readonly downMs: number;
  /** By repairs without a person; missing where nothing is known of how long people take. */
  readonly savedMs?: number;
  /** While Kurator would have acted and was not allowed to: the most that it could have saved. */
  readonly waitedMs: number;
}

/** A whole report. */
export interface Report {
  readonly since: string;
  readonly until: string;
  /** Suspicions that were dismissed; they are no incidents. */
  readonly suspicions: number;
  /** How long people take, and where that is known from; missing where it is not. */
  readonly byHand?: { readonly ms: number; readonly from: 'option' | 'incidents'; readonly incidents: number };
  readonly total: Sums;
  readonly namespaces: Readonly<Record<string, Sums>>;
  /** The newest first. */
  readonly incidents: readonly Told[];
}

/** One incident; undefined for a suspicion that came to nothing. */
export function told({ metadata, spec, status }: Incident): Told | undefined {
  const { confirmedAt, recoveredAt, cause = 'unknown', stages = [], actions = [], proposal, closedAt } = status ?? {};
  if (!confirmedAt) return undefined;
  const done = actions.filter(({ outcome }) => outcome === 'done').map(({ step }) => step);
  const wouldBe = stages.flatMap(({ stage, reason, at }) =>
    stage === 'proposed' && isOnlyTold(reason) ? [{ reason, at }] : [],
  );
  const called = stages.find(({ stage }) => stage === 'handedOver' || stage === 'quarantined');
  const proposed = [...wouldBe.map(({ reason }) => stepIn(reason)), ...(proposal ? [proposal.step] : [])];
  const isWell = recoveredAt !== undefined;
  const ending = endingOf(isWell, closedAt !== undefined, {
    called: called !== undefined,
    wouldBe: wouldBe.length > 0,
    done,
  });
  const waitedFrom = done.length > 0 && !called ? undefined : (called?.at ?? wouldBe[0]?.at);
  const { downMs = 0 } = (status?.memory as { impact?: { downMs?: number } } | undefined)?.impact ?? {};
  return {
    namespace: metadata.namespace ?? '',
    name: metadata.name ?? '',
    service: spec.service,
    startedAt: spec.startedAt,
    cause,
    ending,
    steps: counted(done.length > 0 ? done : ending === 'wouldRepair' ? [...new Set(proposed)] : []),
    downMs,
    ...(isWell && { lasted: span(spec.startedAt, recoveredAt), repairMs: span(confirmedAt, recoveredAt) }),
    ...(isWell && waitedFrom && { waitedMs: span(waitedFrom, recoveredAt) }),
  };
}

interface Signs {
  readonly called: boolean;
  readonly wouldBe: boolean;
  readonly done: readonly string[];
}

function endingOf(isWell: boolean, isClosed: boolean, { called, wouldBe, done }: Signs): Ending {
  if (called) return 'people';
  if (done.length > 0) return isWell ? 'repaired' : 'open';
  if (wouldBe) return 'wouldRepair';
  return isWell || isClosed ? 'itself' : 'open';
}

/** The healer's own words for why a step is only told. */
const whyOnlyTold = [onlyTells({ mode: 'Observe', dryRun: false }), onlyTells({ mode: 'On', dryRun: true })];

/** They end its sentence; a step that waits for approval is another thing. */
function isOnlyTold(reason: string): boolean {
  return whyOnlyTold.some((why) => why !== undefined && reason.endsWith(`; ${why}`));
}

/** `replace`, of `would replace web-1 now; …`. */
function stepIn(reason: string): string {
  return /^would (\S+)/.exec(reason)?.[1] ?? '';
}

function counted(steps: readonly string[]): string[] {
  return [...new Set(steps)].map((step) => {
    const times = steps.filter((one) => one === step).length;
    return times > 1 ? `${step} ×${times}` : step;
  });
}

function span(from: string, to: string): number {
  return Math.max(0, Date.parse(to) - Date.parse(from));
}

/** How the report is bounded, and what its reader knows. */
export interface ReportOptions {
  readonly since: number;
  readonly now: number;
  /** How long people take for a repair, if that is known from elsewhere. */
  readonly byHand?: number | undefined;
}

/** Sums up. */
export function reportOf(all: readonly Told[], suspicions: number, { since, now, byHand }: ReportOptions): Report {
  const incidents = all.toSorted((a, b) => Date.parse(b.startedAt) - Date.parse(a.startedAt));
  // Nobody was called to what was only observed: how long it lasted says nothing of how long people take.
  const waits = incidents.flatMap(({ ending, waitedMs }) => (ending === 'people' ? (waitedMs ?? []) : []));
  const measured = median(waits);
  const ms = byHand ?? measured;
  const spaces = [...new Set(incidents.map(({ namespace }) => namespace))].sort();
  return {
    since: new Date(since).toISOString(),
    until: new Date(now).toISOString(),
    suspicions,
    ...(ms !== undefined && {
      byHand: {
        ms,
        from: byHand === undefined ? ('incidents' as const) : ('option' as const),
        incidents: waits.length,
      },
    }),
    total: sumsOf(incidents, ms),
    namespaces: Object.fromEntries(
      spaces.map((space) => [
        space,
        sumsOf(
          incidents.filter(({ namespace }) => namespace === space),
          ms,
        ),
      ]),
    ),
    incidents,
  };
}

function sumsOf(incidents: readonly Told[], byHand: number | undefined): Sums {
  const of = (ending: Ending) => incidents.filter((one) => one.ending === ending);
  const sum = (amounts: readonly number[]) => amounts.reduce((total, amount) => total + amount, 0);
  const repaired = of('repaired');
  return {
    incidents: incidents.length,
    repaired: repaired.length,
    wouldRepair: of('wouldRepair').length,
    people: of('people').length,
    itself: of('itself').length,
    open: of('open').length,
    downMs: sum(incidents.map(({ downMs }) => downMs)),
    ...(byHand !== undefined && {
      savedMs: sum(repaired.map(({ repairMs = byHand }) => Math.max(0, byHand - repairMs))),
    }),
    waitedMs: sum(of('wouldRepair').flatMap(({ waitedMs }) => waitedMs ?? [])),
  };
}

function median(amounts: readonly number[]): number | undefined {
  const sorted = amounts.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)];
}
