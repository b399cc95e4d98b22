/**
 * Changes outboxes where they are kept, in the status of their channels. A storm puts many alerts into one channel at
 * once: what comes while a write is under way goes into the next one, together, so that nobody is in anybody's way.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type Client, isConflict, isNotFound, type ObjectReference } from '@kurator/sdk';
import { AlertChannel } from '../../resources/alert-channel.ts';
import { type Outbox, outboxOf } from './outbox.ts';

/** How an outbox is to be changed. Called again with what is there then if somebody else was quicker: must be pure. */
export type Change = (outbox: Outbox, channel: AlertChannel) => Outbox;

interface Wanted {
  readonly change: Change;
  resolve(isThere: boolean): void;
  reject(error: unknown): void;
}

const TRIES = 10;
const LONGEST_BREATH = 100;

/** Changes the outboxes of an operator's channels. */
export class Outboxes {
  readonly #client: Client;
  /** By channel: what waits for the write that is under way. */
  readonly #lanes = new Map<string, Wanted[]>();

  constructor(client: Client) {
    this.#client = client;
  }

  /** Changes one, in the order of the calls. Once it resolves, the API server has it; false if there is no such channel. */
  async change({ name, namespace = '' }: ObjectReference, change: Change): Promise<boolean> {
    const { promise, resolve, reject } = Promise.withResolvers<boolean>();
    const key = `${namespace}/${name}`;
    const lane = this.#lanes.get(key);
    const wanted = { change, resolve, reject };
    if (lane) {
      lane.push(wanted);
    } else {
      const opened = [wanted];
      this.#lanes.set(key, opened);
      void this.#empty(key, { name, namespace }, opened);
    }
    return await promise;
  }

  async #empty(key: string, channel: ObjectReference, lane: Wanted[]): Promise<void> {
    while (lane.length > 0) {
      const batch = lane.splice(0);
      try {
        const isThere = await this.#write(channel, batch);
        for (const { resolve } of batch) resolve(isThere);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#lanes.delete(key);
  }

  async #write(reference: ObjectReference, batch: readonly Wanted[]): Promise<boolean> {
    for (let tries = 1; ; tries++) {
      const channel = await this.#client.find(AlertChannel, reference);
      if (!channel) return false;
      const before = outboxOf(channel);
      const after = batch.reduce((outbox, { change }) => change(outbox, channel), before);
      if (after === before) return true;
      try {
        // With the version that was read: it fails if somebody else has written since.
        await this.#client.replace(AlertChannel, withOutbox(channel, after), { subresource: 'status' });
        return true;
      } catch (error) {
        if (isNotFound(error)) return false;
        if (!isConflict(error) || tries === TRIES) throw error;
      }
      await delay(Math.random() * LONGEST_BREATH);
    }
  }
}

function withOutbox(channel: AlertChannel, outbox: Outbox): AlertChannel {
  const { waiting, known, open, digests, gathered, dropped, ...figures } = outbox;
  const pending = waiting.length + digests.filter(({ changedAt }) => changedAt !== undefined).length;
  const { lastError: _, ...status } = channel.status ?? {};
  return {
    ...channel,
    status: { ...status, ...figures, pending, memory: { waiting, known, open, digests, gathered, dropped } },
  };
}
