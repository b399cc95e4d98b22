/**
 * Whether an object is a Kurator's own, may become it, or is somebody else's. Nothing is taken over by having the right
 * name: whoever owns it must say so, by the label that everything of a Kurator has.
 */
import type { KubernetesObject } from '@kurator/sdk';
import type { Kurator } from '../resources/kurator.ts';
import { kuratorLabel } from './pod-template.ts';

/** Made for this Kurator, or meant for it. One that another controller has is refused when it is applied. */
export function isOurs(kurator: Kurator, live: KubernetesObject): boolean {
  const { ownerReferences = [] } = live.metadata;
  return ownerReferences.some(({ uid }) => uid === kurator.metadata.uid) || isMeantFor(kurator, live);
}

/** Whoever owns it has said that this Kurator may have it. */
export function isMeantFor({ metadata }: Kurator, live: KubernetesObject): boolean {
  return live.metadata.labels?.[kuratorLabel] === metadata.name;
}

/** What is to be done about one that is not ours. */
export function notOurs({ metadata }: Kurator, kind: string, name: string): string {
  const { namespace } = metadata;
  const consent = `kubectl label ${kind.toLowerCase()} ${name} -n ${namespace} ${kuratorLabel}=${metadata.name}`;
  return (
    `${kind} ${name} is there already, and Kurator ${metadata.name} has not made it, so it is left alone: ` +
    `to hand it over, ${consent}; else give the Kurator another name, or look after what is there by targetRef`
  );
}
