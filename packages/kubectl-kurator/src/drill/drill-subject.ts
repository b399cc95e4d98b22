/** A service as it is right before a drill: read once, so that what is judged is what was seen. */
import { Deployment, Namespace, Pod, Service, StatefulSet } from '@kurator/client';
import { CliError } from '@kurator/command';
import { type Reached, selectorText } from '@kurator/command/kube';
import { chosen, listed } from '../healer/find.ts';
import { type Incident, incidents, type Kurator, kurators } from '../healer/kinds.ts';

export type Workload = Deployment | StatefulSet;

/** Everything that a drill is judged by. */
export interface DrillSubject {
  readonly kurator: Kurator;
  readonly namespace: Namespace;
  /** Undefined if it is not there. */
  readonly workload: Workload | undefined;
  /** Pods that are not on their way out, by name. */
  readonly pods: readonly Pod[];
  /** All that are on record of this service. */
  readonly incidents: readonly Incident[];
  /** Those that lead to its pods. */
  readonly services: readonly Service[];
}

/** @param name A service, or `namespace/name`. */
export async function subjectOf(reached: Reached, name: string, signal: AbortSignal): Promise<DrillSubject> {
  const { client } = reached;
  const [bare = '', place = reached.namespace] = name.split('/').toReversed();
  const where = { client, namespace: place };
  const [kurator, another] = chosen(await listed(where, kurators, signal), [bare], where);
  if (!kurator || another) {
    throw new CliError('KUR_CLI_USAGE', `there is more than one ${bare}`, { remedy: 'choose a namespace with -n' });
  }
  const { namespace = 'default' } = kurator.metadata;
  const { kind, ...reference } = workloadReference(kurator);
  const workload = await client.find<Workload>(workloadType(kind), reference, { signal });
  const labelSelector = selectorText(workload?.spec?.selector);
  const [itsNamespace, known, pods, services] = await Promise.all([
    client.get(Namespace, { name: namespace }, { signal }),
    client.list(incidents, { namespace, signal }),
    labelSelector ? client.list(Pod, { namespace, labelSelector, signal }) : { items: [] },
    client.list(Service, { namespace, signal }),
  ]);
  const labels = workload?.spec?.template.metadata?.labels ?? {};
  return {
    kurator,
    namespace: itsNamespace,
    workload,
    pods: pods.items
      .filter(({ metadata }) => !metadata.deletionTimestamp)
      .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1)),
    incidents: known.items.filter(({ spec }) => spec.service === kurator.metadata.name),
    services: services.items.filter(({ spec }) => leadsTo(spec?.selector, labels)),
  };
}

/** Where a service's workload is. */
export function workloadReference({ metadata, spec }: Kurator): { kind: string; name: string; namespace: string } {
  const { namespace = 'default' } = metadata;
  const { kind, name } = spec.targetRef ?? { kind: spec.service?.kind ?? 'Deployment', name: metadata.name };
  return { kind, name, namespace };
}

/** What it is asked for as. */
export function workloadType(kind: string): typeof Deployment | typeof StatefulSet {
  return kind === 'StatefulSet' ? StatefulSet : Deployment;
}

function leadsTo(selector: Readonly<Record<string, string>> | undefined, labels: Readonly<Record<string, string>>) {
  const wanted = Object.entries(selector ?? {});
  return wanted.length > 0 && wanted.every(([key, value]) => labels[key] === value);
}
