/** By which set a primary has commits acknowledged, and whether it serves clients. A set is acted on only after it is in the record, and on disk. */
import type { Disk, InstanceView } from './instance.ts';
import { type ClusterRecord, hasBegun, hasSet, isSameSet, type SyncSet } from './record.ts';

export type SyncStep =
  /** Write what the record says of sets, and that it serves. */
  | { readonly do: 'note'; readonly disk: Disk }
  /** Have every process of postgres go by that set; walsenders that began before may be ended for it. */
  | { readonly do: 'apply'; readonly set: SyncSet }
  /** Write that commits are safe by the last set alone. The first time in an epoch: that it serves. */
  | { readonly do: 'confirm'; readonly record: ClusterRecord };

/** What is to be done about sets by whoever leads; undefined: nothing. */
export function syncStep({ name, record, disk, postgres }: InstanceView): SyncStep | undefined {
  const leads = postgres.is === 'primary' && disk.led === disk.promised;
  if (!leads || record?.epoch !== disk.promised || record.holder !== name || !hasBegun(record)) return undefined;
  const noted = note(disk, record);
  if (noted) return { do: 'note', disk: noted };
  const target = record.sets.at(-1);
  // A set that the holder is in is one of an epoch before: it can't acknowledge to itself.
  if (!target || target.names.includes(name)) return undefined;
  if (!isSameSet(postgres.applied, target)) return { do: 'apply', set: target };
  if (!postgres.confirmed || (record.sets.length === 1 && record.stage === 'Serving')) return undefined;
  const served = { holder: name, epoch: record.epoch };
  return { do: 'confirm', record: { ...record, stage: 'Serving', sets: [target], served, preferred: undefined } };
}

/** First what is new in the record is added; what is no longer in it goes after that. */
function note(disk: Disk, record: ClusterRecord): Disk | undefined {
  const serves = record.stage === 'Serving';
  const added = record.sets.filter((set) => !hasSet(disk.sets, set));
  if (added.length > 0) return { ...disk, serves, sets: [...disk.sets, ...added] };
  if (disk.sets.length > record.sets.length) return { ...disk, serves, sets: record.sets };
  return disk.serves === serves ? undefined : { ...disk, serves };
}

/** Whether clients may be led to it: it has the record's word that it serves, and all that it shows is on as many disks as is asked for. */
export const opens = ({ disk, postgres }: InstanceView): boolean =>
  postgres.is === 'primary' &&
  disk.led === disk.promised &&
  disk.serves &&
  postgres.settled &&
  postgres.applied !== undefined &&
  hasSet(disk.sets, postgres.applied);
