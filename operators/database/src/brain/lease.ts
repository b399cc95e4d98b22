/** How long an instance may run as primary, and how it asks for more: of the API server by renewals, or of its standbys by grants. */
import type { InstanceView, Memory } from './instance.ts';
import type { GrantAnswer, GrantRequest } from './messages.ts';
import { grantedSince } from './quorum.ts';
import { type ClusterRecord, setsOf } from './record.ts';

/** Whether the record says that it may not lead the epoch that it has promised, as far as it has read it. */
export const isSuperseded = ({ name, record, disk }: InstanceView): boolean =>
  record !== undefined &&
  (record.epoch > disk.promised ||
    (record.epoch === disk.promised && (record.stage === 'Freezing' || record.holder !== name)));

/** Until when it has the lease of the epoch that it has promised. */
export function leasedUntil({ disk, memory: { lease }, times }: InstanceView): number | undefined {
  return lease?.epoch === disk.promised ? lease.sentAt + times.run : undefined;
}

/** Until when its data may run as primary: the deadline of the guard. Undefined: not at all, and not a moment longer. */
export function runUntil(view: InstanceView): number | undefined {
  const { disk, memory, times, now } = view;
  if (disk.led !== disk.promised || disk.data !== 'whole' || isSuperseded(view)) return undefined;
  const grants = [...memory.grants].filter(([, { epoch }]) => epoch === disk.promised);
  const granted = grantedSince(disk.sets, new Map(grants.map(([by, { sentAt }]) => [by, sentAt])));
  const until = Math.max(
    leasedUntil(view) ?? Number.NEGATIVE_INFINITY,
    (granted ?? Number.NEGATIVE_INFINITY) + times.run,
  );
  return until > now ? until : undefined;
}

/** A postgres that hangs, or that can't write, is no primary, however well its brain is. */
function isWell({ postgres, times, now }: InstanceView): boolean {
  const { is, probedAt, startingSince } = postgres;
  if (startingSince !== undefined) return now - startingSince <= times.start;
  return is !== 'primary' || (probedAt !== undefined && now - probedAt <= times.probe);
}

/** What it writes to have the lease, or to keep it, if it may. What was renewed counts from when this was sent. */
export function renewal(view: InstanceView): ClusterRecord | undefined {
  const { name, record, disk, postgres, memory, times, now } = view;
  if (!record || record.holder !== name || record.stage === 'Freezing') return undefined;
  // Whoever has lost its volume has promised nothing: it is not who it was.
  if (record.epoch !== disk.promised || disk.data !== 'whole') return undefined;
  if (!isWell(view)) return undefined;
  if (memory.releasedAt !== undefined && now - memory.releasedAt < times.yield) return undefined;
  if (handsOver(view) && postgres.is !== 'primary') return undefined;
  return { ...record, renewal: record.renewal + 1, released: false };
}

/** What it writes to let go of the lease: postgres is dead, and others may have what it takes. It forgets the lease before it is sent. */
export function release(view: InstanceView): ClusterRecord | undefined {
  const { name, record, disk, postgres } = view;
  if (!record || record.holder !== name || record.stage !== 'Serving' || record.released) return undefined;
  if (record.epoch !== disk.promised || disk.led !== disk.promised || postgres.is !== 'stopped') return undefined;
  const othersCan = setsOf(record).every(({ names }) => names.length > 0);
  return othersCan || handsOver(view) ? { ...record, released: true } : undefined;
}

/** Whether it is asked to stop, so that another can lead. */
export const handsOver = ({ name, record, disk }: InstanceView): boolean =>
  record?.stage === 'Serving' &&
  record.holder === name &&
  record.epoch === disk.promised &&
  record.preferred !== undefined &&
  record.preferred !== name;

/** What it asks of its standbys where the API server does not answer, and whom. */
export function grantRequest(
  view: InstanceView,
): { readonly request: GrantRequest; readonly to: readonly string[] } | undefined {
  const { name, disk, memory, times, now } = view;
  if (disk.led !== disk.promised || disk.data !== 'whole' || isSuperseded(view) || !isWell(view)) return undefined;
  if (memory.releasedAt !== undefined && now - memory.releasedAt < times.yield) return undefined;
  const to = [...new Set(disk.sets.flatMap(({ names }) => names))].filter((other) => other !== name);
  return to.length > 0 ? { request: { epoch: disk.promised, holder: name }, to } : undefined;
}

/** A standby has answered a request that was sent at that time. */
export function grantsAfter(
  { memory }: InstanceView,
  { from, granted, epoch }: GrantAnswer,
  sentAt: number,
): Memory['grants'] {
  const known = memory.grants.get(from);
  if (!granted || (known && (known.epoch > epoch || known.sentAt > sentAt))) return memory.grants;
  return new Map(memory.grants).set(from, { epoch, sentAt });
}
