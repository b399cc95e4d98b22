/**
 * One alert instead of hundreds: what calls on-call for one reason is told by itself for the first few services, and from
 * then on gathered into a digest, which is one alert for its sink, however often it is told. It is kept in the channel's
 * status with the rest of the outbox, and holds only services whose alerts go to that channel.
 */
import { groupInWords } from '../../brain/alerts/group.ts';
import { type Stage, withPerson } from '../../brain/incident/stage.ts';
import { day, type Millis, minute, second } from '../../brain/time.ts';
import type { AlertChannel } from '../../resources/alert-channel.ts';
import { type Alert, fitting, isAsLoudAs, sentence } from './alert.ts';
import { type Digest, isKnown, knowsThread, type Member, type Outbox, put } from './outbox.ts';

/** So many services of one reason are told by themselves. */
export const few = 3;
/** So long after the first of them others count as having the same reason. */
export const together: Millis = 30 * minute;
/** A digest waits so long for company before it is told first; told again, twice as long each time. */
const settling = 30 * second;
const longestSilence = 15 * minute;
/** So many are gathered in one channel at most: its status has to fit into an object of the API server. */
export const mostMembers = 600;
/** Of so many it is said by name how they are. */
export const mostNamed = 20;
const longestTitle = 160;
/** A digest of which nothing is heard for so long is forgotten: its services may be gone. */
const forgottenAfter = 7 * day;

/** Whether a digest tells this alert, or has anything to do with what it is about. */
export function isGathered({ digests, gathered }: Outbox, { id, thread }: Alert): boolean {
  return gathered.includes(id) || digests.some((digest) => hasIll(digest, thread));
}

/** With one more, by itself or in a digest; the same outbox if it was taken before. */
export function take(outbox: Outbox, { metadata, spec }: AlertChannel, alert: Alert, since: string): Outbox {
  // What stands on each Kurator, or in a log, calls nobody.
  if (spec.events || spec.stdout) return put(outbox, alert, since);
  if (isKnown(outbox, alert.id) || outbox.gathered.includes(alert.id)) return outbox;
  if (alert.status === 'resolved') {
    const isAlone = isAsLoudAs(alert, spec.minSeverity) || knowsThread(outbox, alert.thread);
    const told = withWell(outbox, alert, since);
    return isAlone ? put(told, alert, since) : told;
  }
  if (alert.severity !== 'page' || isOwn(alert)) return put(outbox, alert, since);
  return withPage(outbox, alert, since, (metadata.uid ?? '').slice(0, 8));
}

/** When there is a digest to tell; undefined while there is none. */
export function digestDueAt(outbox: Outbox): Millis | undefined {
  const times = outbox.digests.flatMap((digest) => dueAt(outbox, digest) ?? []);
  return times.length > 0 ? Math.min(...times) : undefined;
}

/** With the digests that are due, as alerts that wait; the same outbox if none is. */
export function withDigests(outbox: Outbox, { metadata: { namespace = '' } }: AlertChannel, at: string): Outbox {
  const due = outbox.digests.filter((digest) => (dueAt(outbox, digest) ?? Number.POSITIVE_INFINITY) <= Date.parse(at));
  return due.reduce((box, digest) => {
    const alert = alertOfDigest(digest, namespace, at);
    return put(replaced(box, digest, afterTelling(digest, alert, at)), alert, at);
  }, outbox);
}

/** The incident alone is its reason. */
function isOwn({ thread, group }: Alert): boolean {
  return thread.slice(thread.indexOf('/') + 1) === group;
}

function hasIll({ members }: Digest, thread: string): boolean {
  return members.some((member) => member.thread === thread && !member.isWell);
}

function withPage(outbox: Outbox, alert: Alert, since: string, origin: string): Outbox {
  const { thread, group } = alert;
  const now = Date.parse(since);
  const known = { ...outbox, digests: outbox.digests.filter((digest) => isOfInterest(digest, now)) };
  const home = known.digests.find((digest) => hasIll(digest, thread));
  if (home) return gatheredInto(known, home, alert, since, origin);
  const digest = known.digests.find((one) => one.group === group && now - Date.parse(one.since) < together);
  if (!digest) {
    const begun = { group, since, alone: [thread], members: [], told: 0, others: [] };
    return put({ ...known, digests: [...known.digests, begun] }, alert, since);
  }
  if (digest.alone.includes(thread)) return put(known, alert, since);
  if (digest.alone.length < few) {
    return put(replaced(known, digest, { ...digest, alone: [...digest.alone, thread] }), alert, since);
  }
  const isFull = known.digests.reduce((sum, { members }) => sum + members.length, 0) >= mostMembers;
  return isFull ? put(known, alert, since) : gatheredInto(known, digest, alert, since, origin);
}

function isOfInterest({ since, changedAt, members, toldAt = since }: Digest, now: Millis): boolean {
  if (changedAt !== undefined || now - Date.parse(since) < together) return true;
  return members.length > 0 && now - Date.parse(toldAt) < forgottenAfter;
}

function gatheredInto(outbox: Outbox, digest: Digest, alert: Alert, since: string, origin: string): Outbox {
  const { thread, title, cause, stage, condition, others } = alert;
  const member: Member = { thread, title: title.slice(0, longestTitle).toWellFormed(), cause, stage, condition };
  const next: Digest = {
    ...digest,
    thread: digest.thread ?? `${origin}/${digest.group}@${since}`,
    members: [...digest.members.filter((one) => one.thread !== thread), member],
    changedAt: digest.changedAt ?? since,
    // Of other services only those are named that are in it.
    others: others.filter(({ name }) => /^(control plane|nodes|node [^/]+)$/.test(name)),
  };
  return told(replaced(outbox, digest, next), alert);
}

/** The digest that has it knows that it is over. */
function withWell(outbox: Outbox, alert: Alert, since: string): Outbox {
  const digest = outbox.digests.find((one) => hasIll(one, alert.thread));
  if (!digest) return outbox;
  const members = digest.members.map((member) =>
    member.thread === alert.thread ? { ...member, isWell: true as const } : member,
  );
  return told(replaced(outbox, digest, { ...digest, members, changedAt: digest.changedAt ?? since }), alert);
}

function told(outbox: Outbox, { id }: Alert): Outbox {
  return { ...outbox, gathered: [...outbox.gathered, id].slice(-mostMembers) };
}

function replaced(outbox: Outbox, digest: Digest, by: Digest): Outbox {
  return { ...outbox, digests: outbox.digests.map((one) => (one === digest ? by : one)) };
}

/** It is not told again while its sink has not heard what it said before; that all are well is told at once. */
function dueAt({ waiting }: Outbox, { thread, members, told, toldAt = '', changedAt }: Digest): Millis | undefined {
  if (changedAt === undefined || waiting.some(({ alert }) => alert.thread === thread)) return undefined;
  const changed = Date.parse(changedAt);
  if (told === 0) return changed + settling;
  if (members.every(({ isWell }) => isWell)) return changed;
  return Math.max(changed, Date.parse(toldAt) + Math.min(settling * 2 ** told, longestSilence));
}

/** Once all are well it is over: whoever comes then is told under another thread. */
function afterTelling(digest: Digest, { status }: Alert, at: string): Digest {
  const { group, since, alone } = digest;
  if (status === 'resolved') return { group, since, alone, members: [], told: 0, others: [] };
  const { changedAt: _, ...rest } = digest;
  return { ...rest, told: digest.told + 1, toldAt: at };
}

function alertOfDigest(digest: Digest, namespace: string, at: string): Alert {
  const { group, since, alone, thread = '', members, told } = digest;
  const ill = members.filter(({ isWell }) => !isWell).toSorted((one, other) => rankOf(one) - rankOf(other));
  const well = members.filter(({ isWell }) => isWell).map(({ thread: one }) => serviceOf(one));
  const [worst] = ill;
  const reason = groupInWords(group);
  const title = worst
    ? `${inNumber(ill.length, 'more service', 'needs', 'need')} on-call for one reason: ${reason}`
    : `${inNumber(well.length, 'service', 'is', 'are')} well again (${reason})`;
  return {
    id: `${thread}/${told + 1}`,
    thread,
    group,
    severity: worst ? 'page' : 'resolved',
    status: worst ? 'firing' : 'resolved',
    namespace,
    service: '*',
    uid: '',
    incident: thread.slice(thread.indexOf('/') + 1),
    stage: worst?.stage ?? 'recovered',
    condition: worst?.condition ?? 'up',
    cause: reason,
    title: sentence(title),
    lines: fitting(
      [
        `in namespace ${namespace}; told one by one before: ${alone.map(serviceOf).join(', ')}`,
        ...causesOf(ill),
        ...listed(ill.map(({ title }) => title)),
        ...(well.length > 0 ? [`well again: ${listed(well).join(', ')}`] : []),
      ].map(sentence),
    ),
    others: digest.others,
    startedAt: since,
    at,
    look: `kubectl -n ${namespace} get incidents`,
  };
}

/** `3 services are`. */
function inNumber(count: number, what: string, one: string, many: string): string {
  return count === 1 ? `1 ${what} ${one}` : `${count} ${what}s ${many}`;
}

/** The lower, the worse. */
function rankOf({ condition, stage }: Member): number {
  return (condition === 'down' ? 0 : 2) + (withPerson.has(stage as Stage) ? 0 : 1);
}

/** `shop/web`, of `1f9c2a7e/shop/web#1`. */
export function serviceOf(thread: string): string {
  return thread.slice(thread.indexOf('/') + 1, thread.lastIndexOf('#'));
}

/** What they are taken for, the most frequent first; nothing where it is the same for all. */
function causesOf(ill: readonly Member[]): string[] {
  const counts = [...Map.groupBy(ill, ({ cause }) => cause || 'not known yet')].map(([cause, { length }]) => ({
    cause,
    length,
  }));
  if (counts.length < 2) return [];
  const inOrder = counts.toSorted((one, other) => other.length - one.length);
  return [`causes: ${inOrder.map(({ cause, length }) => `${cause} (${length})`).join('; ')}`];
}

/** As many as may be named. */
function listed(names: readonly string[]): string[] {
  const rest = names.length - mostNamed;
  return rest > 0 ? [...names.slice(0, mostNamed), `and ${rest} more`] : [...names];
}
