/** The operator as it runs in a cluster, for checks to look at. */
import { type Client, Deployment, type ObjectReference, Pod, resourceType, type UntypedObject } from '@kurator/client';
import { selectorText } from '@kurator/command/kube';
import type { Examination, Kind } from './examination.ts';
import { scraped } from './metrics.ts';
import type { Specimen } from './specimens.ts';
import type { Subject } from './subject.ts';

export interface Live extends Examination {
  readonly subject: Subject;
  /** Its Deployment. */
  readonly ref: Required<ObjectReference> & { namespace: string };
  readonly kinds: readonly Kind[];
  /** Objects to look at: those that are there; examples in a namespace of their own where that is allowed. */
  readonly specimens: readonly Specimen[];
  /** Why there are no examples in a namespace of their own; undefined where there are. */
  readonly noSamples: string | undefined;
  deployment(): Promise<Deployment>;
  pods(): Promise<Pod[]>;
  /** What its pods together tell Prometheus, by name. */
  metrics(): Promise<ReadonlyMap<string, number>>;
}

/** In the version that its objects are stored in. */
export function kindsOf({ bundle }: Subject): Kind[] {
  return bundle.crds.map((crd) => {
    const { group, names, scope, versions } = crd.spec;
    const version = versions.find(({ storage }) => storage)?.name ?? versions[0]?.name;
    const options = { plural: names.plural, namespaced: scope === 'Namespaced' };
    return { crd, type: resourceType<UntypedObject>(`${group}/${version}`, names.kind, options) };
  });
}

/** What checks ask of the Deployment and its pods. */
export function looksAt(
  client: Client,
  ref: Live['ref'],
  signal: AbortSignal,
): Pick<Live, 'deployment' | 'pods' | 'metrics'> {
  const deployment = async () => await client.get(Deployment, ref, { signal });
  const pods = async () => {
    const { spec } = await deployment();
    const labelSelector = selectorText(spec?.selector);
    const { items } = await client.list(Pod, { namespace: ref.namespace, labelSelector, signal });
    return items.filter(({ metadata }) => !metadata.deletionTimestamp);
  };
  return { deployment, pods, metrics: async () => await scraped(client, await pods(), signal) };
}
