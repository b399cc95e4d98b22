/** One look at one service: what the caches show, what others know, and what people have said, as the brain reads it. */
import type {
  DependantObservation,
  DependencyObservation,
  InstanceObservation,
  NodeObservation,
  Observation,
  UsageObservation,
} from '../brain/observation.ts';
import type { Millis } from '../brain/time.ts';
import type { ServiceRecord } from '../memory/service-record.ts';
import type { Incident } from '../resources/incident.ts';
import type { NodeAnswers } from './node-answers.ts';
import { observeInstance } from './observe-pod.ts';
import { observeWorkload } from './observe-workload.ts';
import type { ServiceObjects } from './service-objects.ts';

/** What is seen besides the objects. */
export interface Sight {
  /** When the caches were last known to be current. */
  readonly at: Millis;
  readonly record: ServiceRecord;
  readonly dependencies: readonly DependencyObservation[];
  readonly dependants: readonly DependantObservation[];
  /** The Incident that is open, with what people wrote into its spec. */
  readonly incident: Incident | undefined;
  /** By the pod's uid. */
  readonly usage: ReadonlyMap<string, UsageObservation>;
  /** What has answered on each node. */
  readonly nodeAnswers: Pick<NodeAnswers, 'of'>;
}

export function observe(objects: ServiceObjects, sight: Sight): Observation {
  const { workload, revisions, autoscalers, budgets, pods, nodes } = objects;
  const { at, record, dependencies, dependants, incident, usage, nodeAnswers } = sight;
  const { foreignWrite } = record.workload ?? {};
  const versions = new Map(revisions.map(({ id, version }) => [id, version]));
  const versionOf = (revision: string) => versions.get(revision) ?? revision;
  return {
    at,
    workload: observeWorkload(workload, { revisions, autoscalers, budgets, foreignWrite }),
    instances: pods.map((pod) => observeInstance(pod, usage.get(pod.metadata.uid ?? ''), versionOf)),
    nodes: nodes.map((node) => withAnswer(node, nodeAnswers.of(node.name))),
    dependencies,
    dependants,
    answers: record.answers ?? [],
    orders: ordersOf(incident, record),
  };
}

function withAnswer(node: NodeObservation, answeredAt: Millis | undefined): NodeObservation {
  return answeredAt === undefined ? node : { ...node, answeredAt };
}

/** A proposal that was approved, and each time that a person has given the incident back. */
function ordersOf(incident: Incident | undefined, { history }: ServiceRecord): Observation['orders'] {
  const { approve, approvedBy, resume = 0 } = incident?.spec ?? {};
  const { id = '' } = history.incident ?? {};
  return {
    approved: approve ? [approve] : [],
    ...(approvedBy && { approvedBy }),
    resumed: Array.from({ length: resume }, (_, index) => `${id}/${index + 1}`),
  };
}

/** The uids of instances that something has happened to, new ones among them; all of them when a rollout has ended. */
export function happenedTo(before: Observation | undefined, now: Observation): Set<string> {
  const known = new Map(before?.instances.map((instance) => [instance.uid, signatureOf(instance, before)]));
  const isRolledOut = before?.workload.rollout === 'progressing' && now.workload.rollout !== 'progressing';
  const changed = now.instances.filter((one) => isRolledOut || known.get(one.uid) !== signatureOf(one, now));
  return new Set(changed.map(({ uid }) => uid));
}

function signatureOf({ ready, terminating, containers, node }: InstanceObservation, { nodes }: Observation): string {
  const states = containers.map(({ state, waiting, restarts }) => [state, waiting, restarts]);
  const on = nodes.find(({ name }) => name === node);
  return JSON.stringify([ready, terminating, states, on?.ready, on?.gone, on?.complaints]);
}
