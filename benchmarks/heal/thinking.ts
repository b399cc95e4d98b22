/** What the brain's thoughts cost: one round about so many services, a tenth of them ill. */
import { calm, lastRound } from '../../operators/kurator/src/brain/simulation/simulate.ts';
import { clusterDefaults, serviceSpec } from '../../operators/kurator/src/brain/spec-defaults.ts';
import { think } from '../../operators/kurator/src/brain/think.ts';
import { second } from '../../operators/kurator/src/brain/time.ts';
import type { Figure } from './figures.ts';

const ROUNDS = 20;

export function measureThinking(services: number): Figure[] {
  const inputs = lastRound({
    specs: Array.from({ length: services }, (_, index) =>
      serviceSpec({ name: `s${index}`, checks: [{ name: 'http', period: 10 * second, timeout: second }] }),
    ),
    replicas: 3,
    nodes: 3,
    cluster: clusterDefaults,
    chaos: calm,
    seed: 1,
    tick: 10 * second,
    length: 40 * second,
    events: Array.from({ length: services / 10 }, (_, index) => ({
      at: 30 * second,
      name: 'ill',
      service: index * 10,
      arg: 3,
    })),
  });
  const rounds: number[] = [];
  const thoughts: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const from = performance.now();
    let last = from;
    for (const input of inputs) {
      think(input);
      const now = performance.now();
      thoughts.push(now - last);
      last = now;
    }
    rounds.push(last - from);
  }
  return [
    { subject: 'kurator', metric: `think_${services}_round_ms`, value: quantile(rounds, 0.5), unit: 'ms' },
    { subject: 'kurator', metric: `think_${services}_p50_us`, value: quantile(thoughts, 0.5) * 1000, unit: 'µs' },
    { subject: 'kurator', metric: `think_${services}_p99_us`, value: quantile(thoughts, 0.99) * 1000, unit: 'µs' },
  ];
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
