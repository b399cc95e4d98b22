/**
 * What was to be seen of a fault before anything was done about it: it is gone once an instance is replaced. Bounded in
 * size and in time, for a repair must not wait for a node that doesn't answer.
 */
import { type Client, Event as CoreEvent, messageOf, type Pod, type PodStatus, withoutSecrets } from '@kurator/sdk';
import type { Evidence } from '../brain/evidence/evidence.ts';
import type { Millis } from '../brain/time.ts';
import type { Incident } from '../resources/incident.ts';
import type { CheckResult } from './checks/check-result.ts';
import type { ServiceObjects } from './service-objects.ts';

/** As it is kept in an Incident, under `evidence`. */
export type FaultSnapshot = NonNullable<NonNullable<Incident['status']>['evidence']>;
type InstanceRecord = NonNullable<FaultSnapshot['instances']>[number];

/** What a snapshot is taken from. */
export interface Sources {
  readonly client: Client;
  readonly objects: ServiceObjects;
  readonly seen: Evidence;
  /** The last results of a target's checks. */
  readonly resultsOf: (target: string) => readonly CheckResult[];
  readonly now: Millis;
  readonly signal: AbortSignal;
}

const mostInstances = 16;
const logLines = 50;
const logBytes = 8192;
const mostEvents = 32;
const mostSymptoms = 64;
const sentence = 2048;
const patience = 2000;

/** Takes a snapshot of these instances, by uid; what was taken before stays. */
export async function takeSnapshot(
  uids: readonly string[],
  before: FaultSnapshot | undefined,
  from: Sources,
): Promise<FaultSnapshot> {
  const { objects, seen, now } = from;
  const known = new Set(before?.instances?.map(({ uid }) => uid));
  const wanted = objects.pods.filter(({ metadata: { uid = '' } }) => uids.includes(uid) && !known.has(uid));
  const fresh = wanted.slice(0, mostInstances - known.size);
  const [instances, events] = await Promise.all([
    Promise.all(fresh.map((pod) => instanceRecord(pod, from))),
    before
      ? []
      : eventsOf([objects.workload.metadata.uid ?? '', ...fresh.map(({ metadata }) => metadata.uid ?? '')], from),
  ]);
  return {
    takenAt: before?.takenAt ?? new Date(now).toISOString(),
    instances: [...(before?.instances ?? []), ...instances],
    events: before?.events ?? events,
    nodes: before?.nodes ?? objects.nodes.slice(0, 16).map(nodeInWords),
    symptoms: before?.symptoms ?? seen.symptoms.slice(0, mostSymptoms).map(({ kind, says }) => cut(`${kind}: ${says}`)),
  };
}

async function instanceRecord(pod: Pod, from: Sources): Promise<InstanceRecord> {
  const { metadata, spec, status } = pod;
  const logs = await lastWords(pod, from);
  return {
    name: metadata.name,
    uid: metadata.uid ?? '',
    ...(spec?.nodeName && { node: spec.nodeName }),
    containers: (status?.containerStatuses ?? []).slice(0, 32).map(containerInWords),
    ...(logs && { logs }),
    checks: from
      .resultsOf(metadata.uid ?? '')
      .slice(0, 32)
      .map(resultInWords),
  };
}

/** The last lines of the container that matters: one that has ended before, else the first. */
async function lastWords({ metadata, spec, status }: Pod, { client, signal }: Sources): Promise<string | undefined> {
  const restarted = status?.containerStatuses?.find(({ lastState, ready }) => lastState?.terminated && !ready);
  const container = restarted?.name ?? spec?.containers[0]?.name;
  if (!container || !spec?.nodeName) return undefined;
  const options = { container, tailLines: logLines, limitBytes: logBytes, timeout: patience, retries: 0, signal };
  try {
    const isDead = restarted !== undefined && !restarted.state?.running;
    const text = await client.logs(metadata, { ...options, ...(isDead && { previous: true }) });
    return withoutSecrets(text).slice(-2 * logBytes);
  } catch (error) {
    signal.throwIfAborted();
    return `could not be read: ${messageOf(error)}`.slice(0, 500);
  }
}

type ContainerStatus = NonNullable<PodStatus['containerStatuses']>[number];

function containerInWords({ name, restartCount, ready, state, lastState }: ContainerStatus): string {
  const now = state?.running ? `running since ${state.running.startedAt}` : (state?.waiting?.reason ?? 'not running');
  const ended = state?.terminated ?? lastState?.terminated;
  const how = ended && `, last ended at ${ended.finishedAt} with ${ended.exitCode} (${ended.reason ?? 'no reason'})`;
  return cut(`${name}: ${now}, ${ready ? 'ready' : 'not ready'}, ${restartCount} restarts${how ?? ''}`);
}

function resultInWords({ check, outcome, errorKind, message, at, latencyMs, connectMs }: CheckResult): string {
  const why = errorKind ? ` (${errorKind}: ${message})` : '';
  const connected = connectMs === undefined ? 'no connection' : `connected in ${Math.round(connectMs)} ms`;
  const when = new Date(at).toISOString();
  return cut(withoutSecrets(`${check} at ${when}: ${outcome}${why}, ${connected}, ${Math.round(latencyMs)} ms in all`));
}

function nodeInWords({ name, ready, since, gone, complaints = [] }: ServiceObjects['nodes'][number]): string {
  const state = `${name}: Ready ${ready} since ${new Date(since).toISOString()}${gone ? ', gone' : ''}`;
  return cut([state, ...complaints].join(', '));
}

async function eventsOf(uids: readonly string[], { client, objects, signal }: Sources): Promise<string[]> {
  const { namespace } = objects.workload.metadata;
  const of = async (uid: string) => {
    const options = { namespace, fieldSelector: `involvedObject.uid=${uid}`, limit: mostEvents };
    const { items } = await client.list(CoreEvent, { ...options, timeout: patience, retries: 0, signal });
    return items;
  };
  try {
    const all = (await Promise.all(uids.slice(0, 8).map(of))).flat();
    return all
      .sort((a, b) => timeOf(a).localeCompare(timeOf(b)))
      .slice(-mostEvents)
      .map(eventInWords);
  } catch {
    signal.throwIfAborted();
    return [];
  }
}

const timeOf = ({ lastTimestamp, eventTime }: CoreEvent) => lastTimestamp ?? eventTime ?? '';

function eventInWords(event: CoreEvent): string {
  const { type, reason, message, involvedObject, count = 1 } = event;
  const times = count > 1 ? ` (${count} times)` : '';
  return cut(withoutSecrets(`${timeOf(event)} ${type} ${involvedObject.name} ${reason}: ${message}${times}`));
}

function cut(text: string): string {
  return text.slice(0, sentence);
}
