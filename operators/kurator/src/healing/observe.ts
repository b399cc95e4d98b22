/** One look at one service: what the caches show, what others know, and what people have said, as the brain reads it. */
import type {
  DependantObservation,
  DependencyObservation,
  Observation,
  UsageObservation,
} from '../brain/observation.ts';
import type { Millis } from '../brain/time.ts';
import { observeInstance } from '../observing/instance.ts';
import { observeWorkload } from '../observing/workload.ts';
import type { Incident } from '../resources/incident.ts';
import type { Memory } from './memory.ts';
import type { Scene } from './scene.ts';

/** What is seen besides the scene. */
export interface Sight {
  /** When the caches were last known to be current. */
  readonly at: Millis;
  readonly memory: Memory;
  readonly dependencies: readonly DependencyObservation[];
  readonly dependants: readonly DependantObservation[];
  /** The Incident that is open, with what people wrote into its spec. */
  readonly incident: Incident | undefined;
  /** By the pod's uid. */
  readonly usage: ReadonlyMap<string, UsageObservation>;
}

export function observe(scene: Scene, sight: Sight): Observation {
  const { workload, revisions, autoscalers, budgets, pods, nodes } = scene;
  const { at, memory, dependencies, dependants, incident, usage } = sight;
  const { foreignWrite } = memory.workload ?? {};
  const versions = new Map(revisions.map(({ id, version }) => [id, version]));
  const versionOf = (revision: string) => versions.get(revision) ?? revision;
  return {
    at,
    workload: observeWorkload(workload, { revisions, autoscalers, budgets, foreignWrite }),
    instances: pods.map((pod) => observeInstance(pod, usage.get(pod.metadata.uid ?? ''), versionOf)),
    nodes,
    dependencies,
    dependants,
    answers: memory.answers ?? [],
    orders: ordersOf(incident, memory),
  };
}

/** A proposal that was approved, and each time that a person has given the incident back. */
function ordersOf(incident: Incident | undefined, { history }: Memory): Observation['orders'] {
  const { approve, approvedBy, resume = 0 } = incident?.spec ?? {};
  const { id = '' } = history.incident ?? {};
  return {
    approved: approve ? [approve] : [],
    ...(approvedBy && { approvedBy }),
    resumed: Array.from({ length: resume }, (_, index) => `${id}/${index + 1}`),
  };
}
