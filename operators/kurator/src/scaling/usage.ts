/** What each instance uses, as numbers that scaling and the brain read. */
import { type Pod, type PodMetrics, quantityToNumber } from '@kurator/sdk';
import type { UsageObservation } from '../brain/observation.ts';
import type { Millis } from '../brain/time.ts';

/** Shares of what an instance may use: 1 is all of it. */
export interface Shares {
  readonly cpu?: number;
  readonly memory?: number;
}

/** What one pod uses: for scaling as shares of its requests, for the brain as shares of its limits. */
export interface Gauge {
  readonly scaling: UsageObservation;
  readonly brain: UsageObservation;
}

const resources = ['cpu', 'memory'] as const;
/** Older figures say nothing about now. */
const staleAfter = 120_000;

/** What a pod uses, as a share of what it requested or of its limits; missing where it has said nothing of these. */
export function sharesOf(pod: Pod, metrics: PodMetrics, of: 'requests' | 'limits', now: Millis): Shares {
  if (now - Date.parse(metrics.timestamp) > staleAfter) return {};
  const known = resources.flatMap((resource) => {
    const used = sum(metrics.containers.map(({ usage }) => usage[resource]));
    const may = allowance(pod, resource, of);
    return may > 0 ? [[resource, used / may] as const] : [];
  });
  return Object.fromEntries(known);
}

/** Of all containers together; limits that are not given are taken to be what is requested. */
function allowance({ spec }: Pod, resource: (typeof resources)[number], of: 'requests' | 'limits'): number {
  const amounts = (spec?.containers ?? []).map(({ resources: given }) => {
    const { requests, limits } = given ?? {};
    return of === 'limits'
      ? (limits?.[resource] ?? requests?.[resource])
      : (requests?.[resource] ?? limits?.[resource]);
  });
  // One that says nothing makes the sum mean nothing.
  return amounts.every((amount) => amount !== undefined) ? sum(amounts) : 0;
}

function sum(amounts: readonly (string | number | undefined)[]): number {
  return amounts.reduce<number>(
    (total, amount) => total + (amount === undefined ? 0 : quantityToNumber(String(amount))),
    0,
  );
}
