import { type Clock, pause } from '../../clock.ts';
import type { LeaseRecord } from '../../leadership/lease-store.ts';
import type { ElectionTiming } from '../../leadership/timing.ts';
import type { ShardingEvent } from '../sharding-event.ts';
import type { GroupStore, StoredTable } from './group-store.ts';
import type { MemberName } from './shard-table.ts';

export interface GroupWatch {
  readonly store: GroupStore;
  readonly clock: Clock;
  readonly timing: ElectionTiming;
  readonly signal: AbortSignal;
  onMember(name: MemberName, record: LeaseRecord | undefined): void;
  onTable(stored: StoredTable | undefined): void;
  report(event: ShardingEvent): void;
}

/**
 * Hears what happens in a group, until the signal fires. It makes a replica quick, not safe: without it, renewals read the
 * table, and whoever seems dead is read before anything is done about it.
 */
export async function watchGroup(watch: GroupWatch): Promise<void> {
  const { store, clock, timing, signal, onMember, onTable, report } = watch;
  while (!signal.aborted) {
    try {
      for await (const change of store.changes(signal)) {
        if (change.type === 'member') onMember(change.name, change.record);
        else onTable(change.stored);
      }
    } catch (error) {
      if (!signal.aborted) report({ type: 'trouble', doing: 'watch the group', error });
    }
    await pause(clock, timing.retryPeriod, signal);
  }
}
