/** By which set a primary has commits acknowledged, and whether it serves clients. A set is acted on only after it is in the record, and on disk. */
import type { Disk, InstanceView } from './instance.ts';
import { type ClusterRecord, hasBegun, hasSet, isSameSet, type SyncSet, withSet } from './record.ts';

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
  const target = record.next ?? record.sets.at(-1);
  if (!target || (!record.next && record.stage === 'Promoting')) return undefined;
  if (!isSameSet(postgres.applied, target)) return { do: 'apply', set: target };
  if (!postgres.confirmed || !record.next) return undefined;
  const served = { holder: name, epoch: record.epoch };
  const sets = [record.next];
  return {
    do: 'confirm',
    record: { ...record, stage: 'Serving', sets, next: undefined, served, preferred: undefined },
  };
}

/** First what is new in the record is added; what is no longer in it goes after that. */
function note(disk: Disk, record: ClusterRecord): Disk | undefined {
  const serves = record.stage === 'Serving';
  const known = record.next ? withSet(record.sets, record.next) : record.sets;
  const added = known.filter((set) => !hasSet(disk.sets, set));
  if (added.length > 0) return { ...disk, serves, sets: [...disk.sets, ...added] };
  if (disk.sets.length > known.length) return { ...disk, serves, sets: known };
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
