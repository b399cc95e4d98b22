/** What the brain's thoughts cost: one round about so many services, a tenth of them ill. */
import {
  clusterDefaults,
  freshHistory,
  freshPerception,
  hour,
  type Observation,
  perceive,
  second,
  serviceSpec,
  survey,
  type ThoughtInput,
  think,
} from '@kurator/operator-kurator/brain';
import type { Figure } from '../figures/lines.ts';
import { median, percentile } from '../figures/quantile.ts';

const ROUNDS = 20;
const INSTANCES = ['a', 'b', 'c'];
const now = 1000 * hour;

export function measureThinking(services: number): Figure[] {
  const cluster = survey(clusterDefaults, [], {}, now).view;
  const inputs = Array.from({ length: services }, (_, index) => inputOf(index, cluster));
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
    { subject: 'kurator', metric: `think_${services}_round_ms`, value: median(rounds), unit: 'ms' },
    { subject: 'kurator', metric: `think_${services}_p50_us`, value: median(thoughts) * 1000, unit: 'µs' },
    { subject: 'kurator', metric: `think_${services}_p99_us`, value: percentile(thoughts, 0.99) * 1000, unit: 'µs' },
  ];
}

/** A service of three; of every tenth one, one instance does not answer. */
function inputOf(index: number, cluster: ThoughtInput['cluster']): ThoughtInput {
  const spec = serviceSpec({ name: `s${index}`, checks: [{ name: 'http', period: 10 * second, timeout: second }] });
  const seen = observationOf(index);
  let perception = freshPerception;
  for (const at of [now - 30 * second, now - 20 * second, now - 10 * second, now - second]) {
    const results = seen.instances.map(({ uid }, i) => {
      const isIll = index % 10 === 0 && i === 0;
      const outcome = isIll ? ('failing' as const) : ('healthy' as const);
      const trouble = isIll ? { errorKind: 'timeout' as const } : {};
      return { target: uid, check: 'http', at, outcome, latencyMs: 5, connectMs: 1, ...trouble };
    });
    perception = perceive(spec, perception, { results, samples: [], instances: seen.instances });
  }
  // Its checks have passed before, as in every thought but the first.
  const provenChecks = Object.fromEntries(spec.checks.map(({ name, definition }) => [name, definition]));
  const history = { ...freshHistory(now - hour), provenChecks };
  return { spec, seen, perception, history, cluster, outcomes: [], now };
}

function observationOf(index: number): Observation {
  return {
    at: now,
    workload: { desired: 3, generation: 1, revision: 'r1', revisions: ['r1'], rollout: 'settled', paused: false },
    instances: INSTANCES.map((name) => ({
      name: `s${index}-${name}`,
      uid: `${index}-${name}`,
      node: name,
      revision: 'r1',
      createdAt: now - hour,
      terminating: false,
      ready: true,
      readySince: now - hour,
      containers: [{ name: 'main', state: 'running', startedAt: now - hour, restarts: 0 }],
    })),
    nodes: INSTANCES.map((name) => ({ name, ready: 'true', since: now - hour, gone: false })),
    dependencies: [],
    dependants: [],
    answers: [],
    orders: { approved: [], resumed: [] },
  };
}
