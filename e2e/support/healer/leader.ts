/** What happens to whoever leads, and who leads after that. */
import { Lease, type Pod } from '@kurator/sdk';
import { eventually } from '@kurator/testenv';
import { expect } from 'vitest';
import { patiently } from '../kubectl.ts';
import type { HealerWorld } from './healer-world.ts';
import { measured } from './measured.ts';

/**
 * Does something to whoever leads, and waits until another one does: another process, be it in the same pod. Gives who led.
 *
 * @param what For whoever reads how long it took.
 */
export async function depose(world: HealerWorld, what: string, fault: (leader: Pod) => Promise<unknown>): Promise<Pod> {
  const leader = await eventually(() => world.leader(), patiently);
  const before = await holder(world);
  const from = Date.now();
  await fault(leader);
  await eventually(async () => expect(await holder(world)).not.toBe(before), { ...patiently, timeout: 200_000 });
  measured(`${what}: another replica led`, from, Date.now());
  return leader;
}

async function holder({ client }: HealerWorld): Promise<string | undefined> {
  return (await client.get(Lease, { name: 'kurator', namespace: 'kurator' })).spec?.holderIdentity;
}
