/** What an instance promises to others: to acknowledge nothing for epochs that are over, or to let a primary run on for a while. */
import type { Disk, InstanceView } from './instance.ts';
import { linesUpTo } from './log.ts';
import type { FreezeAnswer, FreezeRequest, GrantAnswer, GrantRequest, NotFrozen } from './messages.ts';

/** What comes of a request to freeze: each time one thing, and the request is looked at again once that is done. */
export type FreezeStep =
  /** Write it, then remember that it was asked. */
  | { readonly do: 'promise'; readonly disk: Disk }
  /** End the receiver, and wait until it is gone. */
  | { readonly do: 'cut' }
  /** End postgres, and wait until no process is left. */
  | { readonly do: 'stop' }
  | { readonly do: 'answer'; readonly answer: FreezeAnswer };

/**
 * In this order: nothing while a grant lives; the promise, on disk; then whatever still receives is ended; and only what is on disk
 * after that is told.
 */
export function freeze(view: InstanceView, { epoch }: FreezeRequest): FreezeStep {
  const { name, now, disk, postgres, memory } = view;
  const refuse = (why: NotFrozen['why']): FreezeStep => ({
    do: 'answer',
    answer: { answer: 'refused', epoch, from: name, why },
  });
  if (epoch < disk.promised || (epoch === disk.promised && (disk.led === epoch || disk.follows !== undefined)))
    return refuse('newer');
  if (memory.grantedUntil !== undefined && memory.grantedUntil > now) return refuse('granted');
  if (epoch > disk.promised) return { do: 'promise', disk: { ...promised(disk, epoch), granted: false } };
  if (postgres.is === 'primary') return { do: 'stop' };
  if (postgres.receives) return { do: 'cut' };
  if (disk.data !== 'whole') return refuse('broken');
  const { lsn } = postgres;
  if (lsn === undefined) return refuse('busy');
  const { led } = disk;
  return { do: 'answer', answer: { answer: 'frozen', epoch, from: name, lines: linesUpTo(disk.lines, lsn), lsn, led } };
}

/** Nobody is followed any more, and no epoch below is helped. */
export const promised = (disk: Disk, epoch: number): Disk => ({ ...disk, promised: epoch, follows: undefined });

/** What comes of a request for a grant. `disk` is written before the answer is sent, and the time of the receipt remembered. */
export function grant(
  { name, record, disk, memory }: InstanceView,
  { epoch, holder }: GrantRequest,
): { readonly answer: GrantAnswer; readonly disk: Disk } {
  const granted =
    disk.promised === epoch &&
    disk.follows === holder &&
    disk.data === 'whole' &&
    memory.asked <= epoch &&
    (record === undefined || record.epoch <= epoch);
  return { answer: { granted, epoch, from: name }, disk: granted ? { ...disk, granted: true } : disk };
}
