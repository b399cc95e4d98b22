/** What happens to whoever leads, and who leads after that. */
import { Lease, type Pod } from '@kurator/sdk';
import { expect } from 'vitest';
import { eventually } from '../kubectl.ts';
import type { HealerWorld } from './healer-world.ts';

/** A leader that leads no more. */
export interface Deposed {
  readonly leader: Pod;
  /** Milliseconds until another one held the Lease. */
  readonly after: number;
}

/** Does something to whoever leads, and waits until another one does: another process, be it in the same pod. */
export async function depose(world: HealerWorld, fault: (leader: Pod) => Promise<unknown>): Promise<Deposed> {
  const leader = await eventually(() => world.leader());
  const before = await holder(world);
  const began = performance.now();
  await fault(leader);
  await eventually(async () => expect(await holder(world)).not.toBe(before), 100_000);
  return { leader, after: performance.now() - began };
}

async function holder({ client }: HealerWorld): Promise<string | undefined> {
  return (await client.get(Lease, { name: 'kurator', namespace: 'kurator' })).spec?.holderIdentity;
}
