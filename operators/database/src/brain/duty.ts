/** What an instance is to be doing, by all that it knows: one thing at a time, looked at again once that is done, or something has changed. */
import type { Disk, InstanceView } from './instance.ts';
import { handsOver, isSuperseded, leasedUntil, release, runUntil } from './lease.ts';
import { linesUpTo, wayTo } from './log.ts';
import { promised } from './promise.ts';
import { type ClusterRecord, hasBegun } from './record.ts';

/**
 * Wherever there is a `disk`, it is written and synced before anything else of it is done. One thing after the other: what was decided by a
 * disk that has changed since, by a freeze say, is decided anew.
 */
export type Duty =
  /** End postgres now: SIGQUIT, then SIGKILL. */
  | { readonly do: 'stop'; readonly why: string }
  /** End it in order, so that standbys have all of its log; then the lease is released. */
  | { readonly do: 'shut-down'; readonly why: string }
  /** Run as primary; the guard ends it at `until`. Data that is still a standby's is promoted: its brain was killed before it was. */
  | { readonly do: 'lead'; readonly until: number }
  /** It may lead once it has a lease or grants, and has neither. */
  | { readonly do: 'acquire' }
  /** Write that the lease is let go of: forget lease and grants first, and remember when. */
  | { readonly do: 'release'; readonly record: ClusterRecord }
  /** Make the first data there is; then write what `finished` says. */
  | { readonly do: 'initialise'; readonly disk: Disk; readonly epoch: number; readonly holder: string }
  /** Become primary, and make a checkpoint. The guard has `until`. */
  | { readonly do: 'promote'; readonly disk: Disk; readonly until: number }
  /** Write into the record where the epoch's line begins, so that others can follow. */
  | { readonly do: 'begin'; readonly disk: Disk; readonly record: ClusterRecord }
  /** Promise the epoch that the record has, and end the receiver. */
  | { readonly do: 'freeze'; readonly disk: Disk }
  | { readonly do: 'follow'; readonly disk: Disk; readonly holder: string }
  /** Make the data that of a standby of who leads that epoch, and nobody else; then write what `finished` says. A rewind that fails is a clone. */
  | { readonly do: 'rewind' | 'clone'; readonly disk: Disk; readonly epoch: number; readonly holder: string }
  | { readonly do: 'hold'; readonly why: string };

export function duty(view: InstanceView): Duty {
  const { name, record, disk, postgres } = view;
  if (postgres.is === 'primary') return asPrimary(view);
  if (!record || record.epoch < disk.promised) return byItself(view);
  // It is asked to freeze, and answers when what it has granted has lapsed: nothing is done before.
  if (record.stage === 'Freezing') return { do: 'hold', why: 'nobody leads this epoch yet' };
  return record.holder === name ? asHolder(view, record) : asStandby(view, record);
}

/** What is on disk once its data is whole; as it was is what it is now, for more may have been promised meanwhile. */
export function finished(disk: Disk, { do: what, epoch, holder }: Making): Disk {
  const follows = what !== 'initialise' && disk.promised === epoch ? holder : undefined;
  return { ...disk, data: 'whole', follows };
}

export type Making = Extract<Duty, { do: 'initialise' | 'rewind' | 'clone' }>;

function asPrimary(view: InstanceView): Duty {
  const { disk, record } = view;
  const until = runUntil(view);
  if (until === undefined) {
    return { do: 'stop', why: isSuperseded(view) ? 'another epoch has begun' : 'it has no lease and no grants' };
  }
  if (handsOver(view)) return { do: 'shut-down', why: `it hands over to ${record?.preferred}` };
  if (record?.epoch === disk.promised && record.stage === 'Promoting' && !hasBegun(record)) return begin(view, record);
  return { do: 'lead', until };
}

/** Its line has something in it: else its log would not be told from one that ends where it begins. */
function begin({ disk, postgres: { timeline, lsn } }: InstanceView, record: ClusterRecord): Duty {
  const own = disk.lines.find(({ epoch }) => epoch === record.epoch);
  if (timeline === undefined || lsn === undefined || own === undefined || lsn <= own.start) {
    return { do: 'hold', why: 'it has not made a checkpoint since it was promoted' };
  }
  const lines = disk.lines.map((line) => (line === own ? { ...own, timeline } : line));
  return { do: 'begin', disk: { ...disk, lines }, record: { ...record, lines } };
}

/** Without the record: what it did is done again, as far as others let it. */
function byItself(view: InstanceView): Duty {
  const { disk } = view;
  if (disk.follows !== undefined) return { do: 'follow', disk, holder: disk.follows };
  if (disk.led === undefined || disk.led !== disk.promised || disk.data !== 'whole') {
    return { do: 'hold', why: 'the record is not known' };
  }
  return again(view);
}

/** It was primary in this epoch, and is not just now. Where it died, others are quicker than its recovery. */
function again(view: InstanceView): Duty {
  const released = handsOver(view) || view.postgres.died ? release(view) : undefined;
  if (released && view.memory.releasedAt === undefined) return { do: 'release', record: released };
  const until = runUntil(view);
  return until === undefined || handsOver(view) ? { do: 'acquire' } : { do: 'lead', until };
}

function asHolder(view: InstanceView, record: ClusterRecord): Duty {
  const { disk, postgres } = view;
  const { epoch } = record;
  if (disk.data === 'none' || (disk.data === 'broken' && disk.led === epoch)) {
    return record.served || record.lines.length > 0 ? { do: 'hold', why: 'its data is gone' } : initialise(view, epoch);
  }
  if (disk.data === 'broken') return { do: 'hold', why: 'its data is not whole' };
  if (disk.led === epoch) return again(view);
  const until = leasedUntil(view);
  if (disk.promised !== epoch) return { do: 'hold', why: 'it has not promised this epoch' };
  if (until === undefined || until <= view.now) return { do: 'acquire' };
  if (postgres.lsn === undefined) return { do: 'hold', why: 'the end of its log is not known' };
  const lines = [...linesUpTo(disk.lines, postgres.lsn), { epoch, timeline: undefined, start: postgres.lsn }];
  return {
    do: 'promote',
    disk: { ...disk, led: epoch, lines, sets: record.sets, serves: false, granted: false },
    until,
  };
}

function initialise({ name, disk }: InstanceView, epoch: number): Duty {
  const lines = [{ epoch, timeline: undefined, start: 0 }];
  return {
    do: 'initialise',
    disk: { ...disk, promised: epoch, led: epoch, data: 'broken', lines, sets: [], serves: false },
    epoch,
    holder: name,
  };
}

function asStandby(view: InstanceView, record: ClusterRecord): Duty {
  const { disk, postgres } = view;
  const { holder, epoch, lines } = record;
  if (!hasBegun(record)) return { do: 'hold', why: `${holder} is not primary yet` };
  if (disk.follows === holder && disk.promised === epoch && disk.data === 'whole' && !postgres.turnedAway) {
    return { do: 'follow', disk, holder };
  }
  if (disk.follows !== undefined || postgres.receives) {
    return { do: 'freeze', disk: disk.promised < epoch ? promised(disk, epoch) : { ...disk, follows: undefined } };
  }
  const way = wayOf(view, lines);
  const next: Disk = { ...promised(disk, epoch), lines, sets: [], serves: false };
  if (way === 'follow') return { do: 'follow', disk: { ...next, follows: holder, led: undefined }, holder };
  return { do: way, disk: { ...next, data: 'broken', led: undefined }, epoch, holder };
}

function wayOf({ disk, postgres }: InstanceView, lines: ClusterRecord['lines']): 'follow' | 'rewind' | 'clone' {
  if (disk.data !== 'whole') return 'clone';
  const way = wayTo(disk.lines, postgres.lsn, lines);
  return way === 'follow' && postgres.turnedAway ? 'rewind' : way;
}
