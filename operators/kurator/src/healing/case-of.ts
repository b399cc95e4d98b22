/** Gathers everything that is to be known of one Kurator before it is thought about. */
import { serve } from '../serving/serve.ts';
import { serviceSpecOf } from '../translating/service-spec.ts';
import type { Case, Round } from './case.ts';
import { relationsOf, withDependencies } from './dependencies.ts';
import { withWorkload } from './known-workload.ts';
import { memoryOf } from './memory.ts';
import { sceneOf } from './scene.ts';

/** Why there is no workload, where there is none; undefined where nobody has tried to make one. */
export interface NoCase {
  readonly problem: string | undefined;
}

/** Makes the service as described, where it is ours; then looks. */
export async function caseOf(round: Round): Promise<Case | NoCase> {
  const { kurator, context, now, ward, mind } = round;
  const written = memoryOf(kurator, now);
  const served = await serve(round, written);
  const scene = sceneOf(kurator, context, now);
  if (!scene) return { problem: served?.problem };
  const { heldBack: _, ...unheld } = written;
  const memory = await withWorkload(
    { ...unheld, ...(served?.heldBack && { heldBack: served.heldBack }) },
    scene,
    round,
  );
  const readSecret = await ward.secrets.load(kurator, context.client, context.signal);
  const relations = relationsOf(kurator, context, ward, now);
  const desired = scene.workload.spec?.replicas ?? 1;
  const stateful = scene.target.kind === 'StatefulSet';
  const spec = withDependencies(serviceSpecOf(kurator, { desired, stateful, now }), relations);
  const { scaling } = kurator.spec;
  if (scaling) ward.gauges.refresh(mind, scaling, scene);
  return { ...round, scene, spec, relations, memory, served, readSecret };
}
