/** Which channels hear of what. */
import type { AlertChannel } from '../resources/alert-channel.ts';
import type { Kurator } from '../resources/kurator.ts';
import { type Alert, isAsLoudAs } from './alert.ts';
import { isGathered } from './digest.ts';
import { knowsThread, type Outbox } from './outbox.ts';

/** The channels that a service's alerts go to, and those that it names and nobody has made. */
export interface Addressees {
  readonly channels: readonly AlertChannel[];
  readonly missing: readonly string[];
}

/** Those of its own namespace that it names; those that are for all, if it names none. */
export function addresseesOf({ metadata, spec }: Kurator, channels: readonly AlertChannel[]): Addressees {
  const own = channels.filter((channel) => channel.metadata.namespace === metadata.namespace);
  const named = spec.alerts?.channels ?? [];
  if (named.length === 0) return { channels: own.filter((channel) => channel.spec.default), missing: [] };
  const byName = new Map(own.map((channel) => [channel.metadata.name, channel]));
  return {
    channels: named.flatMap((name) => byName.get(name) ?? []),
    missing: named.filter((name) => !byName.has(name)),
  };
}

/** Whether an alert is loud enough for a channel; whoever was told of a fault is also told that it is over. */
export function wants({ spec }: AlertChannel, outbox: Outbox, alert: Alert): boolean {
  if (isAsLoudAs(alert, spec.minSeverity)) return true;
  return alert.status === 'resolved' && (knowsThread(outbox, alert.thread) || isGathered(outbox, alert));
}
