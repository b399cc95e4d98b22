/**
 * Whether an object is a Kurator's own, may become it, or is somebody else's. Nothing is taken over by having the right
 * name: whoever owns it must say so, by the label that everything of a Kurator has.
 */

import { isDeepStrictEqual } from 'node:util';
import type { KubernetesObject, LabelSelector, Service } from '@kurator/sdk';
import type { Kurator } from '../../resources/kurator.ts';
import type { Workload } from '../../resources/lookup.ts';
import { kuratorLabel, selectorOf } from '../../resources/ownership.ts';

/** Whether its pods are found as those of a Kurator's own service are: a workload keeps the selector that it was made with. */
export function hasOurSelector(kurator: Kurator, { spec }: Workload): boolean {
  return isDeepStrictEqual(spec?.selector, { matchLabels: selectorOf(kurator) });
}

/**
 * Whether a Service that is meant for a Kurator can be taken without a break: it finds our pods already, or there is one
 * that answers in place of those that it finds now.
 */
export function canAnswerFor(kurator: Kurator, live: KubernetesObject, workload: Workload | undefined): boolean {
  const { spec } = live as Service;
  return isDeepStrictEqual(spec?.selector, selectorOf(kurator)) || (workload?.status?.readyReplicas ?? 0) > 0;
}

/** What is to be done about a workload that can never be ours. */
export function otherSelector({ metadata }: Kurator, kind: string, { metadata: { name }, spec }: Workload): string {
  return (
    `${kind} ${name} has the selector ${selectorInWords(spec?.selector)}, and selectors can't be changed: Kurator ` +
    `${metadata.name} finds its own pods by ${kuratorLabel}=${metadata.name}, so it can't take this one over, and leaves it ` +
    `and its Service alone; keep spec.targetRef with kind ${kind} and name ${name}, or give the Kurator another name`
  );
}

function selectorInWords({ matchLabels = {}, matchExpressions = [] }: LabelSelector = {}): string {
  const labels = Object.entries(matchLabels).map(([name, value]) => `${name}=${value}`);
  return [...labels, ...matchExpressions.map(({ key, operator }) => `${key} ${operator} …`)].join(',');
}

/** Why a Service that is meant for a Kurator is not taken yet. */
export function waitsForPods(service: string, { kind, name }: { kind: string; name: string }): string {
  return `Service ${service} keeps its selector until a pod of ${kind} ${name} is ready: nobody could answer before`;
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
