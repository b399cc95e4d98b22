/** The look of a pass: gathers everything that is to be known of one Kurator before it is thought about. */
import { messageOf } from '@kurator/sdk';
import type { ServiceSpec } from '../brain/spec.ts';
import type { ServiceRecord } from '../memory/service-record.ts';
import type { Kurator } from '../resources/kurator.ts';
import { targetOf } from '../resources/lookup.ts';
import { relationsOf, withDependencies } from '../senses/dependencies.ts';
import { withWorkload } from '../senses/foreign-write.ts';
import { objectsOf, type ServiceObjects } from '../senses/service-objects.ts';
import { type Present, serviceSpecOf } from '../senses/service-spec.ts';
import type { Findings, HealerPass, Obstacle } from './pass.ts';
import type { Prepared } from './prepare.ts';

/** Looks; changes nothing. */
export async function look(pass: HealerPass, { mode, written, served }: Prepared): Promise<Findings | Obstacle> {
  const { kurator, context, now, scope, memory } = pass;
  const objects = objectsOf(kurator, context, now, written, memory.service);
  if (!objects) {
    return served?.problem ? { reason: 'NotApplied', problem: served.problem, isGone: false } : notFound(kurator);
  }
  const other = changedTarget(written, objects);
  if (other) return other;
  const { heldBack: _, ...unheld } = written;
  const held = served?.heldBack && { heldBack: served.heldBack };
  const record = await withWorkload({ ...unheld, ...held }, objects, pass);
  const readSecret = await scope.secrets.load(kurator, memory, context.client, context.signal);
  const relations = relationsOf(kurator, context, scope, now);
  const desired = objects.workload.spec?.replicas ?? 1;
  const { kind, name } = objects.target;
  const stateful = kind === 'StatefulSet';
  const described = specOf(kurator, { desired, stateful, workload: `${kind}/${name}`, mode, now });
  if ('problem' in described) return described;
  const spec = withDependencies(described, relations);
  const { scaling } = kurator.spec;
  if (scaling) scope.usage.refresh(memory, scaling, objects);
  return { ...pass, objects, spec, relations, record, served, readSecret };
}

function notFound(kurator: Kurator): Obstacle {
  const { kind, name } = targetOf(kurator);
  return {
    reason: 'TargetNotFound',
    problem: `there is no ${kind} ${name} in namespace ${kurator.metadata.namespace}`,
    isGone: true,
  };
}

/** An incident of one workload says nothing about another. */
function changedTarget({ history, workload }: ServiceRecord, { target }: ServiceObjects): Obstacle | undefined {
  const now = `${target.kind} ${target.name}`;
  if (!history.incident || workload?.target === undefined || workload.target === now) return undefined;
  return { reason: 'TargetChanged', problem: `it is about ${now} now`, isGone: true, isOther: true };
}

/** What no schema can refuse, such as a cron expression, is refused here. */
function specOf(kurator: Kurator, present: Present): ServiceSpec | Obstacle {
  try {
    return serviceSpecOf(kurator, present);
  } catch (error) {
    return { reason: 'InvalidSpec', problem: messageOf(error), isGone: false };
  }
}
