/** Whom a service depends on, who depends on it, and whether that goes in a circle. */
import { cycleInWords, orderOf } from '../brain/dependencies/graph.ts';
import type { History } from '../brain/incident/history.ts';
import type { Notice } from '../brain/incident/incident.ts';
import type { DependantObservation, DependencyObservation } from '../brain/observation.ts';
import type { ServiceSpec } from '../brain/spec.ts';
import type { Millis } from '../brain/time.ts';
import type { ClusterState } from '../memory/cluster-state.ts';
import { recordOf } from '../memory/service-record.ts';
import { Kurator } from '../resources/kurator.ts';
import { dependsOnOf, type Look, nameOf, referenceTo } from '../resources/lookup.ts';

/** The other services that have to do with one. */
export interface Relations {
  readonly dependencies: readonly DependencyObservation[];
  readonly dependants: readonly DependantObservation[];
  /** Why its `dependsOn` can't be followed; missing when it can. */
  readonly problem?:
    | { readonly reason: 'DependencyCycle' | 'DependencyMissing' | 'DependencyNotPermitted'; readonly message: string }
    | undefined;
  /** What it depends on as far as the brain may know: nothing that it may not, and nothing where it goes in a circle. */
  readonly dependsOn: readonly string[];
  /** What it was last told about what it depends on. */
  readonly notice?: Notice;
}

/** What is known of all services. */
export interface KnownServices {
  readonly clusterState: ClusterState;
  /** What is remembered of a service; undefined where there is none. */
  historyOf(service: string, look: Look): History | undefined;
}

/**
 * Whether a service may be depended on from a namespace: from its own, and from those that it names itself. Whoever depends
 * on a service is told of its faults and may hold its repair up: that is nobody's to take.
 */
function isPermitted(needed: Kurator | undefined, from: string | undefined): boolean {
  // Who is not there has nothing to be taken.
  if (!needed || needed.metadata.namespace === from) return true;
  return needed.spec.dependants?.from.some(({ namespace }) => namespace === from || namespace === '*') ?? false;
}

export function relationsOf(kurator: Kurator, look: Look, known: KnownServices, now: Millis): Relations {
  const { clusterState } = known;
  const wanted = dependsOnOf(kurator);
  const permitted = followed(kurator, look);
  const cycle = cycleThrough(kurator, look);
  const dependsOn = cycle ? [] : permitted;
  const notice = noticeFor(nameOf(kurator), dependsOn, (name) => known.historyOf(name, look));
  const missing = wanted.filter((name) => find(name, look) === undefined);
  const refused = wanted.filter((name) => !permitted.includes(name));
  const problem = problemOf(cycle, refused, missing, kurator.metadata.namespace);
  return {
    dependsOn,
    dependencies: dependsOn.flatMap((name) => dependencyOf(name, look, clusterState, now) ?? []),
    dependants: dependantsOf(kurator, look).filter(({ name }) => !cycle?.includes(name)),
    ...(notice && { notice }),
    ...(problem && { problem }),
  };
}

function problemOf(
  cycle: readonly string[] | undefined,
  refused: readonly string[],
  missing: readonly string[],
  namespace = '',
): Relations['problem'] {
  if (cycle) return { reason: 'DependencyCycle', message: cycleInWords(cycle) };
  if (refused.length > 0) {
    const message = `${refused.join(', ')} can't be depended on from here: add namespace ${namespace} to spec.dependants.from there`;
    return { reason: 'DependencyNotPermitted', message };
  }
  if (missing.length === 0) return undefined;
  return { reason: 'DependencyMissing', message: `there is no Kurator ${missing.join(', ')}` };
}

/** Who depends on it, and may. */
export function dependantsOf(kurator: Kurator, look: Look): DependantObservation[] {
  return look
    .byIndex(Kurator, 'dependsOn', nameOf(kurator))
    .filter(({ metadata }) => isPermitted(kurator, metadata.namespace))
    .map((one) => ({ name: nameOf(one), answers: one.spec.coordination?.hook !== undefined }));
}

/** The brain's spec with what its `dependsOn` comes to. */
export function withDependencies(spec: ServiceSpec, { dependsOn }: Relations): ServiceSpec {
  return { ...spec, dependsOn };
}

function dependencyOf(
  name: string,
  look: Look,
  clusterState: ClusterState,
  now: Millis,
): DependencyObservation | undefined {
  const known = clusterState.get(name)?.asDependency;
  if (known) return known;
  const kurator = find(name, look);
  if (!kurator) return undefined;
  clusterState.note(name, recordOf(kurator, now).history, undefined);
  return clusterState.get(name)?.asDependency;
}

function find(name: string, look: Look): Kurator | undefined {
  return look.get(Kurator, referenceTo(name));
}

/** The circle that this one is on, as it is walked from here: along what may be followed. */
function cycleThrough(kurator: Kurator, look: Look): readonly string[] | undefined {
  const start = nameOf(kurator);
  const known = new Map<string, readonly string[]>([[start, followed(kurator, look)]]);
  for (const [, needs] of known) {
    for (const name of needs) {
      const needed = known.has(name) ? undefined : find(name, look);
      if (needed) known.set(name, followed(needed, look));
    }
  }
  const { cycle } = orderOf(known);
  return cycle?.includes(start) ? cycle : undefined;
}

/** What it depends on, but for what it may not. */
function followed(kurator: Kurator, look: Look): string[] {
  return dependsOnOf(kurator).filter((name) => isPermitted(find(name, look), kurator.metadata.namespace));
}

/** What one service was last told about those that it depends on. */
function noticeFor(
  name: string,
  dependsOn: readonly string[],
  historyOf: (dependency: string) => History | undefined,
): Notice | undefined {
  const all = dependsOn.flatMap((dependency) => historyOf(dependency)?.incident?.notices ?? []);
  return all
    .filter(({ to }) => to === name)
    .toSorted((a, b) => a.at - b.at)
    .at(-1);
}
