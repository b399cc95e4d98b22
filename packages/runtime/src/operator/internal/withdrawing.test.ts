import { Pod, Secret } from '@kurator/client';
import { describe, expect, it } from 'vitest';
import type { RunContext, Runnable } from '../../manager/runnable.ts';
import { withdrawing } from './withdrawing.ts';

const context = { logger: { warn: () => {} } } as unknown as RunContext;

/** What happens to registrations while these webhooks run. */
async function story(run: () => Promise<void>): Promise<string[]> {
  const told: string[] = [];
  const webhooks: Runnable = {
    name: 'webhooks',
    async run() {
      told.push('registered');
      await run();
    },
  };
  const restoring = withdrawing(webhooks, async () => {
    told.push('looked');
    return async () => void told.push('restored');
  });
  await restoring.run(context).catch(({ message }: Error) => told.push(message));
  return told;
}

describe('registrations of an operator at a desk', () => {
  it('are put back when its webhooks end', async () => {
    expect(await story(async () => {})).toEqual(['looked', 'registered', 'restored']);
  });

  it('are put back when its webhooks fail, and the failure is passed on', async () => {
    const failed = story(() => Promise.reject(new Error('the port was taken')));
    expect(await failed).toEqual(['looked', 'registered', 'restored', 'the port was taken']);
  });

  it('are known to be needed for what they convert', () => {
    const webhooks = { name: 'webhooks', run: async () => {}, isNeededToRead: (type: unknown) => type === Pod };
    const runnable = withdrawing(webhooks, async () => async () => {});
    expect([Pod, Secret].map((type) => runnable.isNeededToRead?.(type))).toEqual([true, false]);
  });
});
