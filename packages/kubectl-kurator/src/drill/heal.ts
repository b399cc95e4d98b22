/** `kurator drill NAME --heal`: ends the drill that is under way, whoever began it. */
import { type ActionContext, CliError } from '@kurator/command';
import type { Reached } from '@kurator/command/kube';
import { fullName } from '../healer/find.ts';
import { announce } from './announce.ts';
import { drillAnnotation, type Mark, markOf, release } from './mark.ts';
import { endBeside } from './means/beside.ts';
import { endBurning } from './means/burn.ts';
import { takeBack } from './means/revision.ts';
import { type Scene, sceneOf } from './scene.ts';

export async function healDrill({ print, signal }: ActionContext, reached: Reached, name: string): Promise<number> {
  const { client } = reached;
  const scene = await sceneOf(reached, name, signal);
  // One whose time is over may have left something: a revision, if nobody rolled it back.
  const mark = scene.kurator.metadata.annotations?.[drillAnnotation] && markOf(scene.kurator, 0);
  if (!mark) {
    throw new CliError('KUR_CLI_DRILL_REFUSED', `no drill of ${fullName(scene.kurator)} is under way`, {
      remedy: 'nothing: there is nothing to end',
    });
  }
  const victim = mark.dependency ? await sceneOf(reached, mark.dependency, signal) : scene;
  await undo(reached, victim, mark);
  await release(client, scene.kurator, mark.id);
  await announce(client, scene.kurator, 'DrillEnded', `${mark.id}: ended by hand`);
  print(`${fullName(scene.kurator)}: drill ${mark.id} (${mark.fault}) is over`);
  return 0;
}

async function undo({ client }: Reached, victim: Scene, { id, fault, pods, container }: Mark): Promise<void> {
  if (fault === 'crash-loop') return await takeBack(client, victim);
  const there = victim.pods.filter(({ metadata }) => pods.includes(metadata.name));
  if (fault === 'load') return await endBurning({ client, container }, there, id);
  await Promise.all(there.map((pod) => endBeside(client, pod, id)));
}
