/** The way to people: puts what is to be told into the outboxes of the channels, from where it is delivered. */

import type { Client } from '@kurator/sdk';
import type { AlertChannel } from '../../resources/alert-channel.ts';
import type { Kurator } from '../../resources/kurator.ts';
import { type Alert, alertOf, isAsLoudAs } from './alert.ts';
import { type Alerting, eventsOnly } from './alerting.ts';
import { isGathered, take } from './digest.ts';
import { knowsThread, type Outbox } from './outbox.ts';
import { Outboxes } from './outboxes.ts';

/** What alerting needs. */
export interface AlertingOptions {
  /** One that refuses to write once this process can't be sure to lead. */
  readonly client: Client;
  /** The channels that there are, from a cache; more than those of the namespace do no harm. */
  readonly channels: (namespace: string) => readonly AlertChannel[];
  /** Milliseconds since 1970; the system's clock unless given. */
  readonly now?: () => number;
}

/**
 * Makes an {@link Alerting} whose `tell` resolves once every channel that wants to hear it has it in its outbox, in the
 * API server; it then arrives, though the operator or the sink may be away. Each is an Event too, on its Kurator. A
 * channel that can't be written to keeps the alert from no other one, but `tell` fails, and may be called again.
 */
export function createAlerting({ client, channels, now = Date.now }: AlertingOptions): Alerting {
  const outboxes = new Outboxes(client);

  /** Whether the channel has it now, or had it already. */
  const putInto = async ({ metadata }: AlertChannel, alert: Alert): Promise<boolean> => {
    const since = new Date(now()).toISOString();
    let isWanted = false;
    const isThere = await outboxes.change(metadata, (outbox, channel) => {
      isWanted = wants(channel, outbox, alert);
      return isWanted ? take(outbox, channel, alert, since) : outbox;
    });
    return isThere && isWanted;
  };

  /** Puts it into all of them, and fails only then. Gives the names of those that wanted it. */
  const putIntoAll = async (addressees: readonly AlertChannel[], alert: Alert): Promise<string[]> => {
    const results = await Promise.allSettled(addressees.map((channel) => putInto(channel, alert)));
    const failure = results.find((result) => result.status === 'rejected');
    if (failure) throw failure.reason;
    const isTold = (index: number) => (results[index] as PromiseFulfilledResult<boolean>).value;
    return addressees.filter((_, index) => isTold(index)).map(({ metadata }) => metadata.name);
  };

  /** Gives the names of those who are told: `events` where it is no channel. */
  const tellOf = async (
    addressees: readonly AlertChannel[],
    alert: Alert,
    asEvent: () => Promise<readonly string[]>,
  ): Promise<readonly string[]> => {
    const by = await putIntoAll(addressees, alert);
    const events = makesEvent(addressees, by) ? [] : await asEvent();
    return by.length > 0 ? by : events;
  };

  return {
    async tell(kurator, incident, notifications, others, event) {
      const addressees = addresseesOf(kurator, channels(kurator.metadata.namespace ?? ''));
      const told = new Set<string>();
      for (const notification of notifications) {
        if (notification.silenced) continue;
        const alert = alertOf({ kurator, incident, notification, others });
        const asEvent = () => eventsOnly.tell(kurator, incident, [notification], others, event);
        for (const name of await tellOf(addressees.channels, alert, asEvent)) told.add(name);
      }
      for (const name of addressees.missing) {
        const message = `there is no AlertChannel ${name}: nobody is told by it`;
        event('Warning', 'AlertChannelMissing', message, { action: 'Alert' });
      }
      return [...told];
    },
  };
}

/** Whether one of those who took it makes an Event of it. */
function makesEvent(channels: readonly AlertChannel[], by: readonly string[]): boolean {
  return channels.some(({ metadata, spec }) => spec.events !== undefined && by.includes(metadata.name));
}

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
