/**
 * Keeps a service as its Kurator describes it, except for a template that was rolled back: that one stays away until the
 * person wants something else.
 */

import {
  type Child,
  ChildrenError,
  ConfigMap,
  checksum,
  child,
  type KubernetesObject,
  messageOf,
  type PodTemplateSpec,
  type ResourceType,
  RuntimeError,
  Service,
} from '@kurator/sdk';
import { isNotAllowed, roleInWords } from '../../access/optional-roles.ts';
import type { Mode } from '../../brain/spec.ts';
import type { Context, Pass } from '../../memory/pass.ts';
import type { HeldBack, ServiceRecord } from '../../memory/service-record.ts';
import type { Kurator } from '../../resources/kurator.ts';
import { targetOf, type Workload } from '../../resources/lookup.ts';
import { isMeantFor, isOurs } from '../../resources/ownership.ts';
import { type Revision, revisionsOf } from '../../resources/revision.ts';
import { canAnswerFor, hasOurSelector, notOurs, otherSelector, waitsForPods } from './adoption.ts';
import { configMapOf, keptConfigMap, servicesOf, workloadOf } from './children.ts';
import { heldBackNow, outcomeIn, templateToRun } from './hold-back.ts';
import { leaveReplicas } from './leave-replicas.ts';
import { podTemplateOf, type ServiceFields } from './pod-template.ts';

type Serving = Pick<Pass, 'kurator' | 'context' | 'memory'>;

/** Applies the children of a Kurator that owns its service; undefined for one that doesn't. */
export async function serve(pass: Serving, record: ServiceRecord): Promise<Served | undefined> {
  const { kurator, context } = pass;
  const { service } = kurator.spec;
  if (!service) return undefined;
  const { type, name } = targetOf(kurator);
  const cached = context.get(type, name);
  const sum = wantedSum(kurator, service);
  const stranger = cached && strangerIn(kurator, type.kind, cached);
  if (stranger) return { wanted: sum, stranger };
  const revisions = cached ? revisionsOf(cached, context, record.workload) : [];
  const { held, live = cached } =
    record.heldBack?.wanted === sum ? await heldBackAt(pass, record, record.heldBack) : {};
  const wanted = podTemplateOf(kurator, service, { spread: isSpread(cached) });
  const template = templateToRun(wanted, held, live, revisions);
  if (service.replicas === undefined) await leaveReplicas(pass);
  const configMaps = configMapsOf(kurator, revisions, template, context);
  const children = childrenOf(kurator, service, template, configMaps, cached);
  const problems = await applyOurs(kurator, children, context);
  return {
    wanted: sum,
    ...(held && { heldBack: held }),
    ...(problems.length > 0 && { problem: problems.join('; ').slice(0, 2048) }),
  };
}

/** Before anything is applied: half of a service that is taken over would be a Service that finds nobody. */
function strangerIn(kurator: Kurator, kind: string, workload: Workload): string | undefined {
  if (!hasOurSelector(kurator, workload)) return otherSelector(kurator, kind, workload);
  return isOurs(kurator, workload) ? undefined : notOurs(kurator, kind, workload.metadata.name);
}

/** By what a person says alone: what is held back stays so, whatever else the template depends on. */
function wantedSum(kurator: Kurator, service: ServiceFields): string {
  return checksum(podTemplateOf(kurator, service, { spread: false }));
}

/** A template that is there without it would be rolled for it: only what is new is spread. */
function isSpread(live: Workload | undefined): boolean {
  return !live || live.spec?.template.spec?.topologySpreadConstraints !== undefined;
}

/** Instead of {@link serve} while the switch is not on: nothing is made or changed, and what is held back stays so. */
export function notServed(kurator: Kurator, { heldBack }: ServiceRecord, mode: Mode): Served | undefined {
  const { service } = kurator.spec;
  if (!service) return undefined;
  return {
    wanted: wantedSum(kurator, service),
    ...(heldBack && { heldBack }),
    problem: `nothing is made or changed while the switch of the cluster is ${mode}`,
  };
}

interface Held {
  readonly held: HeldBack | undefined;
  readonly live?: Workload | undefined;
}

/** Asks the server as long as it is not certain whether the roll-back is done: by the cache it might be undone. */
async function heldBackAt(
  { kurator, context, memory }: Serving,
  { history }: ServiceRecord,
  held: HeldBack,
): Promise<Held> {
  const { action } = held;
  if (action === undefined) return { held };
  const outcome = memory.outcomes.get(action)?.result ?? outcomeIn(history.incident, action);
  const { type, name } = targetOf(kurator);
  const reference = { name, namespace: kurator.metadata.namespace };
  const live = outcome === 'done' ? undefined : await context.client.find(type, reference, { signal: context.signal });
  return { held: heldBackNow(held, { outcome, live }), live };
}

function childrenOf(
  kurator: Kurator,
  service: ServiceFields,
  template: PodTemplateSpec,
  configMaps: ReturnType<typeof configMapsOf>,
  workload: Workload | undefined,
): Child[] {
  const { type, manifest } = workloadOf(kurator, service, template);
  const adopt = (live: KubernetesObject) => isMeantFor(kurator, live);
  const adoptService = (live: KubernetesObject) => adopt(live) && canAnswerFor(kurator, live, workload);
  return [
    ...configMaps.map((manifest) => child(ConfigMap, manifest, { adopt })),
    ...servicesOf(kurator, service).map((manifest) => child(Service, manifest, { adopt: adoptService })),
    // The two of them are one thing: the kind, and an object of it.
    child(type as ResourceType<KubernetesObject>, manifest, { adopt }),
  ];
}

/** Applies all but what is somebody else's. One that is refused keeps none of the others away. */
async function applyOurs(kurator: Kurator, children: readonly Child[], context: Context): Promise<string[]> {
  const set = children.map((one) => [`${one.type.kind} ${one.manifest.metadata.name}`, one] as const);
  try {
    await context.applyAll(Object.fromEntries(set));
    return [];
  } catch (error) {
    context.signal.throwIfAborted();
    return refusalsInWords(kurator, error, context);
  }
}

/** Each once; for rights that were withheld on purpose, that they were. */
function refusalsInWords(kurator: Kurator, error: unknown, context: Context): string[] {
  if (!(error instanceof ChildrenError)) return [messageOf(error)];
  const words = error.failed.map(({ child, error: failure }) => {
    if (isNotAllowed(failure)) return roleInWords('workloads');
    const isStrangers = failure instanceof RuntimeError && failure.code === 'KUR_RUNTIME_FOREIGN_CHILD';
    const advice = isStrangers ? adviceFor(kurator, child, context) : undefined;
    return advice ?? `${child.type.kind} ${child.manifest.metadata.name}: ${messageOf(failure)}`;
  });
  return [...new Set(words)];
}

/** What helps with one that was refused as somebody else's; undefined where it is another controller's, label or not. */
function adviceFor(kurator: Kurator, { type, manifest }: Child, { get }: Context): string | undefined {
  const { name = '' } = manifest.metadata;
  const live = get(type, name);
  if (!live || !isMeantFor(kurator, live)) return notOurs(kurator, type.kind, name);
  const target = targetOf(kurator);
  const isWaiting = type.kind === 'Service' && !canAnswerFor(kurator, live, get(target.type, target.name));
  return isWaiting ? waitsForPods(name, target) : undefined;
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

/** What came of making a service as its Kurator describes it. */
export interface Served {
  /** Why something could not be applied; missing when all was. What is there is looked after all the same. */
  readonly problem?: string;
  /** Why nothing was applied: the workload of that name is somebody else's. */
  readonly stranger?: string;
  /** What is held back; missing when what is wanted is what runs. */
  readonly heldBack?: HeldBack;
  /** A checksum of the template that the spec wants. */
  readonly wanted: string;
}
