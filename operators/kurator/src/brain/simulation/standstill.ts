/**
 * The referee's eye on the eighth rule: whoever holds what is there for all makes progress, whatever can't go on is
 * closed or a person's, and nobody waits for long without a person's being called.
 */
import type { Notification } from '../alerts/notification.ts';
import type { History } from '../incident/history.ts';
import { type Attempt, type Incident, openAttempt } from '../incident/incident.ts';
import { atEase, type Stage, underRepair, withPerson } from '../incident/stage.ts';
import { onlyTells } from '../spec.ts';
import { type Millis, minute } from '../time.ts';
import type { SimService, World } from './world.ts';

/** What the API server has of all services. */
interface Kept {
  readonly histories: ReadonlyMap<string, History>;
  readonly isUp: boolean;
}

/** Watches for what stands still. */
export interface Standstill {
  /** An incident was written down, and these were told. */
  wrote(world: World, before: History, incident: Incident, notifications: readonly Notification[]): void;
  /** All services were counted: so many hold shared budget. */
  surveyed(world: World, holders: number, kept: Kept): void;
}

/** So long anything may take to be noticed and written down, by an operator that dies and is refused. */
const reaction = 3 * minute;
/** In times of a service's patience: whatever it waits for, a person hears of it by then. */
const longestWait = 6;

/** So long an action may take to show. */
const longestHold = 15 * minute;

/** Stages in which it only waits. */
const waitingStages: ReadonlySet<Stage> = new Set<Stage>([
  'suspected',
  'recovered',
  'confirmed',
  'tellingDependants',
  'waitingForDependency',
  'yielded',
  'proposed',
]);

/** Watches one simulation. */
export function createStandstill(note: (at: Millis, what: string) => void): Standstill {
  /** By incident: when something was last done about it, when a person was last called, since when it can't go on, and why. */
  const wentOnAt = new Map<string, Millis>();
  const calledAt = new Map<string, Millis>();
  const leftAloneSince = new Map<string, Millis>();
  let upSince: Millis | undefined;
  let idleSince: Millis | undefined;

  function wrote({ now }: World, before: History, incident: Incident, notifications: readonly Notification[]): void {
    const { id, transitions } = incident;
    const isCall = notifications.some(({ severity }) => severity === 'page');
    const known = before.incident?.id === id ? before.incident.transitions.length : 0;
    const isStep = transitions.slice(known).some(({ to }) => !waitingStages.has(to));
    if (isStep) wentOnAt.set(id, now);
    if (isCall) calledAt.set(id, now);
  }

  function surveyed(world: World, holders: number, kept: Kept): void {
    const { now } = world;
    const all = [...world.services.values()];
    upSince = kept.isUp ? (upSince ?? now) : undefined;
    judgeHolders(now, holders, all.filter((service) => isProgressing(service, kept, now)).length);
    // Whoever sees nothing can do nothing.
    if (now - (upSince ?? now) <= reaction) return;
    for (const service of all) judge(world, service, kept);
  }

  function judgeHolders(now: Millis, holders: number, progressing: number): void {
    const isIdle = upSince !== undefined && holders > progressing;
    idleSince = isIdle ? (idleSince ?? now) : undefined;
    if (now - (idleSince ?? now) <= reaction) return;
    note(now, `${holders} hold shared budget, and ${progressing} are being repaired`);
  }

  function judge(world: World, service: SimService, kept: Kept): void {
    const { incident } = kept.histories.get(service.spec.name) ?? {};
    if (!incident) return;
    if (lookedAfter(service)) judgeWait(world, service, incident, kept);
    else judgeEnd(world.now, service, incident);
  }

  /** What can't go on is over, or a person's. */
  function judgeEnd(now: Millis, { isThere }: SimService, { id, stage }: Incident): void {
    const why = `${id} ${isThere}`;
    const since = leftAloneSince.get(why) ?? now;
    leftAloneSince.set(why, since);
    const isInOrder = isThere && withPerson.has(stage);
    if (now - since > reaction && !isInOrder) note(now, `${id} is ${stage}, and can't go on`);
  }

  /** What could go on does, or a person is called. */
  function judgeWait(world: World, { spec }: SimService, incident: Incident, kept: Kept): void {
    const { now, mode } = world;
    const { id, stage, hold, transitions, impact } = incident;
    for (const isThere of [true, false]) leftAloneSince.delete(`${id} ${isThere}`);
    // What a person wants so in as many words, and what another incident is about, is nobody's to be called for.
    const isWanted = onlyTells({ mode, dryRun: spec.dryRun }) || spec.maintenance.some(({ to }) => now - to < reaction);
    const isElsewhere = spec.dependsOn.some((name) => isAttended(world, name, kept));
    // A suspicion or a recovery of what is seen to be well holds nobody up.
    const isCalm = atEase.has(stage) && impact.condition === 'up';
    if (!waitingStages.has(stage) || isWanted || isElsewhere || isCalm) {
      wentOnAt.set(id, now);
      return;
    }
    const { patience } = spec.recovery;
    const isCalledSince = (since: Millis) => (calledAt.get(id) ?? Number.NEGATIVE_INFINITY) >= since;
    const isLong = hold && now - hold.heldSince > patience + reaction && !isCalledSince(hold.heldSince);
    if (isLong) note(now, `${id} is held up by ${hold.by}, and nobody is called`);
    const wentOn = wentOnAt.get(id) ?? transitions[0]?.at ?? now;
    const isForEver = now - wentOn > longestWait * patience + reaction && !isCalledSince(wentOn);
    if (isForEver) note(now, `${id} is ${stage} for ever`);
  }

  /** Whether a person knows of a service's trouble, wants it so, or it is being mended: of itself, or of what it waits for. */
  function isAttended(world: World, name: string, kept: Kept): boolean {
    const service = world.services.get(name);
    const { incident } = kept.histories.get(name) ?? {};
    if (!service || !incident || incident.diagnosis?.cause === 'unproven-check') return false;
    const isPlanned = service.spec.maintenance.some(({ to }) => world.now - to < reaction);
    if (isPlanned || calledAt.has(incident.id) || underRepair.has(incident.stage)) return true;
    return service.spec.dependsOn.some((one) => isAttended(world, one, kept));
  }

  return { wrote, surveyed };
}

function lookedAfter({ isDescribed, isUnderstood, isThere }: SimService): boolean {
  return isDescribed && isUnderstood && isThere;
}

/** Whether it is being repaired, for no longer than that may take, and something was done about it of late. */
function isProgressing(service: SimService, { histories }: Kept, now: Millis): boolean {
  const { incident } = histories.get(service.spec.name) ?? {};
  const attempt = incident && openAttempt(incident);
  if (!attempt || attempt.step === 'kubernetes') return false;
  return lookedAfter(service) && now - holdsUntil(attempt) <= reaction;
}

/** Until when a repair may hold shared budget: whoever gives a step hours to take effect has them, but not from the others. */
export function holdsUntil({ startedAt, deadline, actions }: Attempt): Millis {
  const last = actions.findLast(({ outcome }) => outcome?.result !== 'refused');
  return Math.min(deadline, (last?.intendedAt ?? startedAt) + longestHold);
}
