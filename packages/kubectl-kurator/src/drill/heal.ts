/** `kurator drill NAME --heal`: ends the drill that is under way, whoever began it. */
import { type ActionContext, CliError } from '@kurator/command';
import type { Reached } from '@kurator/command/kube';
import { fullName } from '../healer/find.ts';
import { announce } from './announce.ts';
import { type DrillSubject, subjectOf } from './drill-subject.ts';
import { drillAnnotation, type Mark, markOf, release } from './mark.ts';
import { endBeside } from './means/beside.ts';
import { endBurning } from './means/burn.ts';
import { takeBack } from './means/revision.ts';

export async function healDrill({ print, signal }: ActionContext, reached: Reached, name: string): Promise<number> {
  const { client } = reached;
  const subject = await subjectOf(reached, name, signal);
  // One whose time is over may have left something: a revision, if nobody rolled it back.
  const mark = subject.kurator.metadata.annotations?.[drillAnnotation] && markOf(subject.kurator, 0);
  if (!mark) {
    throw new CliError('KUR_CLI_DRILL_REFUSED', `no drill of ${fullName(subject.kurator)} is under way`, {
      remedy: 'nothing: there is nothing to end',
    });
  }
  const victim = mark.dependency ? await subjectOf(reached, mark.dependency, signal) : subject;
  await undo(reached, victim, mark);
  await release(client, subject.kurator, mark.id);
  await announce(client, subject.kurator, 'DrillEnded', `${mark.id}: ended by hand`);
  print(`${fullName(subject.kurator)}: drill ${mark.id} (${mark.fault}) is over`);
  return 0;
}

async function undo({ client }: Reached, victim: DrillSubject, { id, fault, pods, container }: Mark): Promise<void> {
  if (fault === 'crash-loop') return await takeBack(client, victim);
  const there = victim.pods.filter(({ metadata }) => pods.includes(metadata.name));
  if (fault === 'load') return await endBurning({ client, container }, there, id);
  await Promise.all(there.map((pod) => endBeside(client, pod, id)));
}
