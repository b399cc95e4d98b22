/** Whom a service depends on, who depends on it, and whether that goes in a circle. */
import { cycleInWords, orderOf } from '../brain/dependencies/graph.ts';
import type { Notice } from '../brain/incident/incident.ts';
import type { DependantObservation, DependencyObservation } from '../brain/observation.ts';
import type { ServiceSpec } from '../brain/spec.ts';
import type { Millis } from '../brain/time.ts';
import { Kurator } from '../resources/kurator.ts';
import { memoryOf } from './memory.ts';
import { nameOf } from './mind.ts';
import { noticeFor } from './notices.ts';
import type { Look } from './scene.ts';
import type { Ward } from './ward.ts';
import type { Weather } from './weather.ts';

/** The other services that have to do with one. */
export interface Relations {
  readonly dependencies: readonly DependencyObservation[];
  readonly dependants: readonly DependantObservation[];
  /** Why its `dependsOn` can't be followed; missing when it can. */
  readonly problem?: { readonly reason: 'DependencyCycle' | 'DependencyMissing'; readonly message: string };
  /** What it depends on as far as the brain may know: nothing, where it goes in a circle. */
  readonly dependsOn: readonly string[];
  /** What it was last told about what it depends on. */
  readonly notice?: Notice;
}

/** Full names of what a Kurator depends on. */
export function dependsOnOf({ metadata, spec }: Kurator): string[] {
  return spec.dependsOn.map((one) => (one.includes('/') ? one : `${metadata.namespace}/${one}`));
}

export function relationsOf(kurator: Kurator, look: Look, ward: Ward, now: Millis): Relations {
  const { weather } = ward;
  const wanted = dependsOnOf(kurator);
  const cycle = cycleThrough(kurator, look);
  const dependsOn = cycle ? [] : wanted;
  const missing = wanted.filter((name) => find(name, look) === undefined);
  const notice = noticeFor(nameOf(kurator), dependsOn, (name) => ward.historyOf(name, look));
  const dependants = look.byIndex(Kurator, 'dependsOn', nameOf(kurator)).filter((one) => !cycle || !isOn(cycle, one));
  return {
    dependsOn,
    dependencies: dependsOn.flatMap((name) => dependencyOf(name, look, weather, now) ?? []),
    dependants: dependants.map((one) => ({ name: nameOf(one), answers: one.spec.coordination?.hook !== undefined })),
    ...(notice && { notice }),
    ...(cycle && { problem: { reason: 'DependencyCycle', message: cycleInWords(cycle) } }),
    ...(!cycle &&
      missing.length > 0 && {
        problem: { reason: 'DependencyMissing', message: `there is no Kurator ${missing.join(', ')}` },
      }),
  };
}

/** The brain's spec with what its `dependsOn` comes to. */
export function withDependencies(spec: ServiceSpec, { dependsOn }: Relations): ServiceSpec {
  return { ...spec, dependsOn };
}

function dependencyOf(name: string, look: Look, weather: Weather, now: Millis): DependencyObservation | undefined {
  const known = weather.get(name)?.asDependency;
  if (known) return known;
  const kurator = find(name, look);
  if (!kurator) return undefined;
  weather.note(name, memoryOf(kurator, now).history, undefined);
  return weather.get(name)?.asDependency;
}

function find(name: string, look: Look): Kurator | undefined {
  const [namespace, plain = ''] = name.split('/');
  return look.get(Kurator, { name: plain, namespace });
}

/** The circle that this one is on, as it is walked from here. */
function cycleThrough(kurator: Kurator, look: Look): readonly string[] | undefined {
  const start = nameOf(kurator);
  const known = new Map<string, readonly string[]>([[start, dependsOnOf(kurator)]]);
  for (const [, needs] of known) {
    for (const name of needs) {
      const needed = known.has(name) ? undefined : find(name, look);
      if (needed) known.set(name, dependsOnOf(needed));
    }
  }
  const { cycle } = orderOf(known);
  return cycle?.includes(start) ? cycle : undefined;
}

function isOn(cycle: readonly string[], kurator: Kurator): boolean {
  return cycle.includes(nameOf(kurator));
}
