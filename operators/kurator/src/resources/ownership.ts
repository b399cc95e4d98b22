/** How an object says whose it is, and which of our changes was its last: labels, selectors and annotations. */
import type { KubernetesObject } from '@kurator/sdk';
import type { Kurator } from './kurator.ts';

/** In whose name everything is written. */
export const fieldManager = 'kurator';

/** Whose children these are; also the selector of its pods. */
export const kuratorLabel = 'kurator.sh/kurator';

/** Labels of everything that is made for a Kurator. */
export function labelsOf({ metadata }: Kurator): Record<string, string> {
  return { [kuratorLabel]: metadata.name, 'app.kubernetes.io/name': metadata.name };
}

/** By which its pods are found. */
export function selectorOf({ metadata }: Kurator): Record<string, string> {
  return { [kuratorLabel]: metadata.name };
}

/** Made for this Kurator, or meant for it. One that another controller has is refused when it is applied. */
export function isOurs(kurator: Kurator, live: KubernetesObject): boolean {
  const { ownerReferences = [] } = live.metadata;
  return ownerReferences.some(({ uid }) => uid === kurator.metadata.uid) || isMeantFor(kurator, live);
}

/** Whoever owns it has said that this Kurator may have it. */
export function isMeantFor({ metadata }: Kurator, live: KubernetesObject): boolean {
  return live.metadata.labels?.[kuratorLabel] === metadata.name;
}

/** The id of the last action that changed the workload. */
export const actionAnnotation = 'kurator.sh/action';

/** Scaling says on the workload what it has scaled to, so that nobody takes it for a person's doing. */
const scalingMark = /^scale\/\d+\/(\d+)$/;

/** The mark of a change of replicas that elastic scaling makes. */
export function markOfScaling(generation: number, replicas: number): string {
  return `scale/${generation}/${replicas}`;
}

/** The replicas that scaling has set, by its mark; undefined for any other mark. */
export function scaledTo(mark: string): number | undefined {
  const replicas = scalingMark.exec(mark)?.[1];
  return replicas === undefined ? undefined : Number(replicas);
}
