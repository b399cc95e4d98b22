/** Which channels hear of what. */
import type { Severity } from '../brain/alerts/notification.ts';
import type { AlertChannel } from '../resources/alert-channel.ts';
import type { Kurator } from '../resources/kurator.ts';
import type { Alert } from './alert.ts';
import { knowsThread, type Outbox } from './outbox.ts';

const loudness: Readonly<Record<Severity, number>> = { info: 0, resolved: 1, warning: 1, page: 2 };

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
export function wants({ spec }: AlertChannel, outbox: Outbox, { severity, status, thread }: Alert): boolean {
  if (loudness[severity] >= loudness[spec.minSeverity]) return true;
  return status === 'resolved' && knowsThread(outbox, thread);
}
