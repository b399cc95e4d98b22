/** Metrics of the checks, over all services. */
import type { Sample } from '@kurator/sdk';
import { latenessBounds } from '../../checks/scheduler/lateness.ts';
import type { Ward } from '../../healing/ward.ts';
import { type Family, single } from './family.ts';

export function checkFamilies(ward: Ward): Family[] {
  const statistics = () => ward.checkups.statistics;
  return [
    {
      type: 'gauge',
      name: 'kurator_checks',
      help: 'Checks that are scheduled',
      labels: [],
      samples: () => single(ward.checkups.size),
    },
    {
      type: 'gauge',
      name: 'kurator_checks_running',
      help: 'Checks that run at this moment',
      labels: [],
      samples: () => single(statistics().running),
    },
    {
      type: 'gauge',
      name: 'kurator_checks_waiting',
      help: 'Checks that are due and held back, because too many run at once',
      labels: [],
      samples: () => single(statistics().waiting),
    },
    {
      type: 'counter',
      name: 'kurator_check_results_total',
      help: 'Results of checks by outcome; unknown is trouble of the checker itself',
      labels: ['outcome'],
      samples: () => Object.entries(statistics().results).map(([outcome, value]) => ({ labels: { outcome }, value })),
    },
    {
      type: 'counter',
      name: 'kurator_checks_missed_total',
      help: 'Runs of checks that were left out because the one before took too long',
      labels: [],
      samples: () => single(statistics().missed),
    },
    {
      type: 'histogram',
      name: 'kurator_check_lateness_seconds',
      help: 'How late checks were started; the sum is estimated from the buckets',
      labels: [],
      samples: () => latenessSamples(statistics().lateness),
    },
  ];
}

/** In milliseconds. A fifth apart is finer than anybody asks for. */
const shown = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000];

/** As Prometheus counts: each bucket with all below it. */
export function latenessSamples(counts: readonly number[]): Sample[] {
  const upTo = (bound: number) =>
    counts.reduce((sum, count, index) => ((latenessBounds[index] ?? 0) <= bound ? sum + count : sum), 0);
  const all = upTo(Number.POSITIVE_INFINITY);
  const sum = counts.reduce((total, count, index) => total + count * (latenessBounds[index] ?? 0), 0);
  return [
    ...shown.map((bound): Sample => ({ suffix: '_bucket', labels: { le: String(bound / 1000) }, value: upTo(bound) })),
    { suffix: '_bucket', labels: { le: '+Inf' }, value: all },
    { suffix: '_sum', labels: {}, value: sum / 1000 },
    { suffix: '_count', labels: {}, value: all },
  ];
}
