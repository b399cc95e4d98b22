/**
 * Keeps a service as its Kurator describes it, except for a template that was rolled back: that one stays away until the
 * person wants something else.
 */
import { ConfigMap, checksum, type PodTemplateSpec, Service } from '@kurator/sdk';
import type { Context, Round } from '../healing/case.ts';
import type { HeldBack, Memory } from '../healing/memory.ts';
import { isNotAllowed, roleInWords } from '../healing/optional-roles.ts';
import { revisionsOf, targetOf } from '../healing/scene.ts';
import type { Revision } from '../observing/revision.ts';
import type { Workload } from '../observing/workload.ts';
import type { Kurator } from '../resources/kurator.ts';
import { configMapOf, keptConfigMap, servicesOf, workloadOf } from './children.ts';
import { heldBackNow, outcomeIn, templateToRun } from './hold-back.ts';
import { podTemplateOf, type ServiceFields } from './pod-template.ts';
import type { Served } from './served.ts';

/** Applies the children of a Kurator that owns its service; undefined for one that doesn't. */
export async function serve(round: Round, memory: Memory): Promise<Served | undefined> {
  const { kurator, context } = round;
  const { service } = kurator.spec;
  if (!service) return undefined;
  const wanted = podTemplateOf(kurator, service);
  const sum = checksum(wanted);
  const { type, name } = targetOf(kurator);
  const cached = context.get(type, name);
  const revisions = cached ? revisionsOf(cached, context) : [];
  const { held, live = cached } =
    memory.heldBack?.wanted === sum ? await heldBackAt(round, memory, memory.heldBack) : {};
  const template = templateToRun(wanted, held, live, revisions);
  const problems = await applyAll(kurator, service, template, revisions, context);
  return {
    wanted: sum,
    ...(held && { heldBack: held }),
    ...(problems.length > 0 && { problem: problems.join('; ').slice(0, 2048) }),
  };
}

interface Held {
  readonly held: HeldBack | undefined;
  readonly live?: Workload | undefined;
}

/** Asks the server as long as it is not certain whether the roll-back is done: by the cache it might be undone. */
async function heldBackAt({ kurator, context, mind }: Round, { history }: Memory, held: HeldBack): Promise<Held> {
  const { action } = held;
  if (action === undefined) return { held };
  const outcome = mind.outcomes.get(action)?.result ?? outcomeIn(history.incident, action);
  const { type, name } = targetOf(kurator);
  const reference = { name, namespace: kurator.metadata.namespace };
  const live = outcome === 'done' ? undefined : await context.client.find(type, reference, { signal: context.signal });
  return { held: heldBackNow(held, { outcome, live }), live };
}

/** Each for itself: one that is refused must keep none of the others away, and none of them counts as unwanted. */
async function applyAll(
  kurator: Kurator,
  service: ServiceFields,
  template: PodTemplateSpec,
  revisions: readonly Revision[],
  context: Context,
): Promise<string[]> {
  const { apply, signal } = context;
  const problems = new Set<string>();
  const attempt = async (applying: Promise<unknown>) => {
    try {
      await applying;
    } catch (error) {
      signal.throwIfAborted();
      problems.add(
        isNotAllowed(error) ? roleInWords('workloads') : error instanceof Error ? error.message : String(error),
      );
    }
  };
  for (const manifest of configMapsOf(kurator, revisions, template, context)) await attempt(apply(ConfigMap, manifest));
  for (const manifest of servicesOf(kurator, service)) await attempt(apply(Service, manifest));
  const made = workloadOf(kurator, service, template);
  // The two of them are one thing: the kind, and an object of it.
  await attempt(apply(made.type as never, made.manifest as never));
  return [...problems];
}

/** The files that are wanted, and those that a revision which could be gone back to needs. */
function configMapsOf(kurator: Kurator, revisions: readonly Revision[], template: PodTemplateSpec, { owned }: Context) {
  const wanted = configMapOf(kurator);
  const named = [template, ...revisions.map((revision) => revision.template)].flatMap(configNames);
  const kept = owned(ConfigMap).filter(
    ({ metadata }) => metadata.name !== wanted?.metadata.name && named.includes(metadata.name),
  );
  return [...(wanted ? [wanted] : []), ...kept.map((map) => keptConfigMap(map, kurator))];
}

function configNames({ spec }: PodTemplateSpec): string[] {
  return (spec?.volumes ?? []).flatMap(({ configMap }) => configMap?.name ?? []);
}
