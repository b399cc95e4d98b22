/**
 * When to tell, and how loud. Every change of stage is told exactly once; but not each for itself: what is not urgent
 * waits for company, and an incident that has been loud enough tells the rest together. What calls a person is never held
 * back, unless one has been called already and has heard nothing else since.
 */
import { causeInWords } from '../diagnosis/cause.ts';
import { type HeldBy, type Incident, isGivenBack, type Transition } from '../incident/incident.ts';
import { atEase, type Stage, withPerson } from '../incident/stage.ts';
import { onlyTells, type ServiceSpec } from '../spec.ts';
import { inWords, type Millis, within } from '../time.ts';
import { groupOf } from './group.ts';
import type { Notification, Severity } from './notification.ts';

/** `always` is told at once whatever was told before, but once; `now` at once if the limit allows, `soon` in company. */
type Urgency = 'always' | 'now' | 'soon';

interface Manner {
  readonly urgency: Urgency;
  readonly severity: Severity;
  readonly title: string;
}

/** How each stage is told. */
export const manners: Readonly<Record<Stage, Manner>> = {
  suspected: { urgency: 'soon', severity: 'info', title: 'may be in trouble' },
  dismissed: { urgency: 'soon', severity: 'info', title: 'was not in trouble' },
  confirmed: { urgency: 'now', severity: 'warning', title: 'is not well' },
  waitingForDependency: { urgency: 'soon', severity: 'info', title: 'waits for what it depends on' },
  tellingDependants: { urgency: 'soon', severity: 'info', title: 'tells its dependants before a repair' },
  proposed: { urgency: 'now', severity: 'warning', title: 'would be repaired' },
  repairing: { urgency: 'soon', severity: 'warning', title: 'is being repaired' },
  verifying: { urgency: 'soon', severity: 'warning', title: 'is being verified' },
  yielded: { urgency: 'now', severity: 'warning', title: 'is left to whoever changed it' },
  recovered: { urgency: 'now', severity: 'resolved', title: 'is well again' },
  handedOver: { urgency: 'always', severity: 'page', title: 'needs on-call' },
  quarantined: { urgency: 'always', severity: 'page', title: 'keeps failing, and needs on-call' },
  withdrawn: { urgency: 'now', severity: 'resolved', title: 'is not looked after any more' },
};

/** What of a service decides how it is told about. */
export type Announcing = Pick<ServiceSpec, 'name' | 'alerts' | 'maintenance' | 'recovery' | 'mode' | 'dryRun'>;

/** What the policy needs to know besides the incident. */
export interface Occasion {
  readonly spec: Announcing;
  readonly now: Millis;
  /** There is a storm: all of it is about one thing. */
  readonly isStorm: boolean;
  /** The incident is being closed: what was not told yet is told now or never. */
  readonly isClosing: boolean;
}

/** What is to be told now, and the incident that remembers it. */
export interface Announcement {
  readonly incident: Incident;
  readonly notification?: Notification;
  /** When to ask again if nothing happens. */
  readonly until?: Millis;
}

/** Tells what is due. */
export function announce(incident: Incident, occasion: Occasion): Announcement {
  const pending = incident.transitions.slice(incident.reported);
  const call = callFor(incident, occasion);
  const [first] = pending;
  if (!first && !call) return { incident };
  const { spec, now, isClosing } = occasion;
  const urgencies = pending.map(({ to }) => manners[to].urgency);
  const recent = incident.notifiedAt.filter((at) => now - at < spec.alerts.per);
  const limitUntil = recent.length < spec.alerts.burst ? now : (recent.at(-spec.alerts.burst) ?? now) + spec.alerts.per;
  const groupUntil = !first || urgencies.some((urgency) => urgency !== 'soon') ? now : first.at + spec.alerts.groupWait;
  const until = Math.max(limitUntil, groupUntil);
  const isCall = call || (urgencies.includes('always') && !isCalled(incident));
  if (!isClosing && !isCall && until > now) return { incident, until };
  const notification = compose(incident, pending, call, occasion);
  const reported = incident.transitions.length;
  const told = { ...incident, ...call?.remembered, reported, notifiedAt: [...recent, now] };
  return { incident: told, notification };
}

/** A person is called for how things are, though no stage has changed. */
interface Call {
  /** The end of the notification's id. */
  readonly id: string;
  /** What comes before the stage's own words. */
  readonly title: string;
  readonly lines: readonly string[];
  readonly remembered: Partial<Incident>;
  /** What it is that holds it up, if that is why. */
  readonly heldBy?: HeldBy | undefined;
}

/**
 * A service that is down wakes somebody up, once; unless it is down for something else: then that one does. So does a
 * repair that is held up for too long, whoever wants it so, and one that goes from one wait to the next.
 */
function callFor(incident: Incident, occasion: Occasion): Call | undefined {
  const { stage, impact, paged } = incident;
  if (atEase.has(stage)) return undefined;
  if (impact.condition === 'down' && !paged && stage !== 'waitingForDependency') {
    return { id: 'down', title: 'is down, and ', lines: [], remembered: { paged: true } };
  }
  // Nobody is told anything in a maintenance window.
  const isMaintenance = within(occasion.spec.maintenance, occasion.now);
  return isMaintenance ? undefined : (callForHold(incident, occasion) ?? callForStandstill(incident, occasion));
}

function callForHold({ hold }: Incident, { spec, now }: Occasion): Call | undefined {
  if (!hold || hold.told || !(now - hold.heldSince >= spec.recovery.patience)) return undefined;
  return {
    id: `held/${hold.heldSince}`,
    title: 'is held up, and ',
    lines: [`held up for ${inWords(now - hold.heldSince)}: ${hold.reason}`],
    remembered: { hold: { ...hold, told: true } },
    heldBy: hold.by,
  };
}

/** In times of its patience: so long an incident may go from one wait to the next without anything being done. */
const longestStandstill = 4;
/** With these something is done, or a person has it. */
const steps: ReadonlySet<Stage> = new Set<Stage>(['repairing', 'recovered', 'handedOver', 'quarantined']);

function callForStandstill(incident: Incident, { spec, now }: Occasion): Call | undefined {
  const { stage, transitions, confirmedAt = now, standstillToldAt = 0 } = incident;
  // The one that it waits for calls; who only observes has said what would be done.
  const isElsewhere = stage === 'waitingForDependency' || (stage === 'proposed' && onlyTells(spec) !== undefined);
  if (isElsewhere || withPerson.has(stage)) return undefined;
  const since = transitions.findLast(({ to }) => steps.has(to))?.at ?? confirmedAt;
  if (standstillToldAt >= since || now - since < longestStandstill * spec.recovery.patience) return undefined;
  return {
    id: `still/${since}`,
    title: 'makes no progress, and ',
    lines: [`nothing could be done for ${inWords(now - since)}: ${transitions.at(-1)?.reason}`],
    remembered: { standstillToldAt: now },
    heldBy: incident.hold?.by,
  };
}

/** A person was called, and since then neither told that it is well nor has given it back. */
function isCalled({ transitions, reported }: Incident): boolean {
  const told = transitions.slice(0, reported);
  const wellAt = told.findLastIndex(({ to }) => to === 'recovered');
  const backAt = transitions.findLastIndex(({ reason }) => isGivenBack(reason));
  return told.slice(Math.max(wellAt, backAt) + 1).some(({ to }) => manners[to].urgency === 'always');
}

function compose(
  incident: Incident,
  pending: readonly Transition[],
  call: Call | undefined,
  { spec, now, isStorm }: Occasion,
): Notification {
  const { id, stage, diagnosis } = incident;
  const cause = diagnosis && !atEase.has(stage) ? `: ${causeInWords[diagnosis.cause]}` : '';
  const isSilent = within(spec.maintenance, now);
  return {
    id: `${id}/${call?.id ?? pending.at(-1)?.seq}`,
    service: spec.name,
    incident: id,
    at: now,
    severity: call ? 'page' : severityOf(incident, pending),
    group: groupOf(incident, isStorm, call?.heldBy),
    transitions: pending.map(({ seq }) => seq),
    stage,
    title: `${spec.name} ${call?.title ?? ''}${manners[stage].title}${cause}`,
    lines: [...(call?.lines ?? []), ...pending.map(({ to, reason }) => `${manners[to].title}: ${reason}`)],
    ...(diagnosis && { cause: diagnosis.cause }),
    ...(isSilent && { silenced: 'maintenance' as const }),
  };
}

/** As loud as the loudest change it tells. */
function severityOf({ stage }: Incident, pending: readonly Transition[]): Severity {
  if (stage === 'recovered' || stage === 'withdrawn') return 'resolved';
  if (stage === 'waitingForDependency') return 'info';
  const severities = pending.map(({ to }) => manners[to].severity);
  if (severities.includes('page')) return 'page';
  return severities.includes('warning') ? 'warning' : 'info';
}
