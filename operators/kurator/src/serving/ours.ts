/**
 * Whether an object is a Kurator's own, may become it, or is somebody else's. Nothing is taken over by having the right
 * name: whoever owns it must say so, by the label that everything of a Kurator has.
 */
import type { KubernetesObject } from '@kurator/sdk';
import type { Kurator } from '../resources/kurator.ts';
import { kuratorLabel } from './pod-template.ts';

/** Made for this Kurator, or meant for it. One that another controller has is refused when it is applied. */
export function isOurs({ metadata }: Kurator, live: KubernetesObject): boolean {
  const { ownerReferences = [], labels } = live.metadata;
  return ownerReferences.some(({ uid }) => uid === metadata.uid) || labels?.[kuratorLabel] === metadata.name;
}

/** What is to be done about one that is not. */
export function notOurs({ metadata }: Kurator, { kind, metadata: { name, namespace } }: KubernetesObject): string {
  const consent = `kubectl label ${kind.toLowerCase()} ${name} -n ${namespace} ${kuratorLabel}=${metadata.name}`;
  return (
    `${kind} ${name} is there already, and Kurator ${metadata.name} has not made it, so it is left alone: ` +
    `to hand it over, ${consent}; else give the Kurator another name, or look after what is there by targetRef`
  );
}
