import { describe, expect, it } from 'vitest';
import { survey } from './cluster/survey.ts';
import { freshHistory } from './incident/history.ts';
import { freshPerception } from './perception/perception.ts';
import type { EventName } from './simulation/events.ts';
import { calm, lastRound, simulate } from './simulation/simulate.ts';
import { clusterDefaults, serviceSpec } from './spec-defaults.ts';
import { think } from './think.ts';
import { minute, second } from './time.ts';

const spec = (name: string, dependsOn: string[] = []) =>
  serviceSpec({ name, dependsOn, checks: [{ name: 'http', period: 10 * second, timeout: second }] });

/** Nobody may change what they were given. */
function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const one of Object.values(value)) frozen(one);
  return value;
}

const trouble: EventName[] = [
  'ill',
  'allIll',
  'badDeploy',
  'goodDeploy',
  'curse',
  'heal',
  'nodeSilent',
  'nodesUp',
  'pause',
  'unpause',
];

describe('think', () => {
  it('changes nothing that it is given, says the same again, and remembers only plain data', {
    timeout: 30_000,
  }, () => {
    for (let seed = 0; seed < 4; seed++) {
      simulate({
        specs: [spec('db'), spec('web', ['db'])],
        replicas: 3,
        nodes: 3,
        cluster: clusterDefaults,
        chaos: { ...calm, unknown: 0.1 },
        seed,
        tick: 5 * second,
        length: 30 * minute,
        events: trouble.map((name, index) => ({
          at: (4 + 2 * index) * minute,
          name,
          service: seed + index,
          arg: seed + index,
        })),
        brain: (input) => {
          const thought = think(frozen(input));
          // Whoever would think again at once would think the same.
          expect(thought.until ?? Number.POSITIVE_INFINITY).toBeGreaterThan(input.now);
          if (thought.history !== input.history) {
            expect(think(input)).toEqual(thought);
            expect(JSON.parse(JSON.stringify(thought.history))).toEqual(thought.history);
          }
          return thought;
        },
      });
    }
  });

  it('thinks about 5,000 services in a round', { timeout: 60_000 }, () => {
    const inputs = lastRound({
      specs: Array.from({ length: 5000 }, (_, index) => spec(`s${index}`)),
      replicas: 3,
      nodes: 3,
      cluster: clusterDefaults,
      chaos: calm,
      seed: 1,
      tick: 10 * second,
      length: 40 * second,
      events: Array.from({ length: 500 }, (_, index) => ({
        at: 30 * second,
        name: 'ill',
        service: index * 10,
        arg: 3,
      })),
    });
    expect(inputs).toHaveLength(5000);
    const from = performance.now();
    for (const input of inputs) think(input);
    // Some 60 ms of processor time; here only that nothing grows with the square.
    expect(performance.now() - from).toBeLessThan(5 * second);
  });

  it('is idle, and has nothing to write, when nothing is wrong and nothing is known', () => {
    const now = 1_000_000 * second;
    const history = freshHistory(now);
    const seen = {
      at: now,
      workload: {
        desired: 0,
        generation: 1,
        revision: 'r1',
        revisions: [],
        rollout: 'settled' as const,
        paused: false,
      },
      instances: [],
      nodes: [],
      dependencies: [],
      dependants: [],
      answers: [],
      orders: { approved: [], resumed: [] },
    };
    const cluster = survey(clusterDefaults, [], {}, now).view;
    const thought = think({
      spec: spec('web'),
      seen,
      perception: freshPerception,
      history,
      cluster,
      outcomes: [],
      now,
    });
    expect(thought).toMatchObject({ decision: { kind: 'idle' }, actions: [], notifications: [], notices: [] });
    expect(thought.history).toBe(history);
  });
});
