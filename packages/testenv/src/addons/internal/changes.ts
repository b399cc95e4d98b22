import { setTimeout as delay } from 'node:timers/promises';
import type { Client, ResourceType } from '@kurator/client';

export interface ChangesOptions {
  /** Called after something may have changed; often, and also for nothing. */
  changed(): void;
  failed(error: unknown): void;
  signal: AbortSignal;
}

const RETRY_DELAY = 1_000;

/** Watches all objects of a type until the signal fires, through every interruption; who is called must look for himself. */
export async function watchChanges(client: Client, type: ResourceType, options: ChangesOptions): Promise<void> {
  const { changed, failed, signal } = options;
  while (!signal.aborted) {
    try {
      for await (const event of client.watch(type, { signal })) {
        if (event.type !== 'BOOKMARK') changed();
      }
    } catch (error) {
      if (signal.aborted) return;
      failed(error);
      await delay(RETRY_DELAY, undefined, { signal }).catch(() => {});
    }
    // What happened while nobody watched is not reported again.
    changed();
  }
}
