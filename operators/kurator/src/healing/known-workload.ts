/** Takes note of the workload, and of who has changed it since it was last looked at. */
import type { Client } from '@kurator/sdk';
import type { ForeignWrite } from '../brain/observation.ts';
import { fieldManager, type Round } from './case.ts';
import { foreignChange, lastWriter, rememberedWorkload } from './foreign-write.ts';
import type { Memory } from './memory.ts';
import type { Scene } from './scene.ts';

/** The memory with the workload as it is now. */
export async function withWorkload(memory: Memory, scene: Scene, round: Round): Promise<Memory> {
  const { workload } = scene;
  const change = foreignChange(memory.workload, workload, memory.history.incident, scene.revisions);
  // What somebody changes of a service that is ours is put back before anybody sees it.
  const what = scene.target.owned && change === 'other' ? undefined : change;
  const write = what && { at: round.now, by: await writerOf(scene, round, what), what };
  const known = rememberedWorkload(memory.workload, workload, write, scene.revisions);
  return known === memory.workload ? memory : { ...memory, workload: known };
}

/** Caches don't keep who wrote what: it is asked for when it matters. */
async function writerOf(
  { target, workload }: Scene,
  { context, kurator }: Round,
  what: ForeignWrite['what'],
): Promise<ForeignWrite['by']> {
  const isGiven = what !== 'replicas' || kurator.spec.service?.replicas !== undefined;
  if (target.owned && isGiven) return `whoever changed Kurator ${kurator.metadata.name}`;
  const client: Client = context.client;
  const live = await client.find(target.type, workload.metadata, { signal: context.signal });
  return live ? lastWriter(live, [fieldManager]) : 'somebody';
}
