import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ScalingSpec } from '../spec.ts';
import { type ScalingInput, serviceSpec } from '../spec-defaults.ts';
import { hour, minute, second } from '../time.ts';
import { freshScalingMemory, type ScalingDecision, type ScalingMetrics, scale } from './scale.ts';

const start = 100 * hour;

function scaling(input: Partial<ScalingInput> = {}): ScalingSpec {
  const targets = [{ metric: 'cpu', target: 0.5 }];
  const spec = serviceSpec({ name: 'web', scaling: { min: 2, max: 20, targets, ...input } }).scaling;
  if (!spec) throw new Error('no scaling');
  return spec;
}

function metrics(
  replicas: number,
  cpu: number | undefined,
  now: number,
  change: Partial<ScalingMetrics> = {},
): ScalingMetrics {
  const usage = cpu === undefined ? {} : { usage: { at: now, metrics: { cpu } } };
  const instances = Array.from({ length: replicas }, (_, index) => ({ uid: `${index}`, serving: true, ...usage }));
  return { replicas, instances, ...change };
}

/** Lets time pass under a load that `cpu` tells for the replicas at that time. */
function follow(
  spec: ScalingSpec,
  cpu: (replicas: number, now: number) => number | undefined,
  length: number,
  from = 4,
) {
  let memory = freshScalingMemory(start);
  let replicas = from;
  const path: ScalingDecision[] = [];
  for (let now = start; now <= start + length; now += 15 * second) {
    const decision = scale(spec, metrics(replicas, cpu(replicas, now), now), memory, now);
    ({ memory, replicas } = decision);
    path.push(decision);
  }
  return { replicas, path };
}

const held = (change: Partial<ScalingMetrics>, cpu?: number) =>
  scale(scaling(), metrics(4, cpu, start, change), { since: 0, advice: [] }, start);

describe('scale', () => {
  it('scales out at once, to where the metric would be on target', () => {
    expect(held({}, 0.75)).toMatchObject({
      kind: 'out',
      replicas: 6,
      reason: 'cpu is 0.75 on average, and should be 0.5',
    });
  });

  it('leaves small deviations alone', () => {
    expect(held({}, 0.54)).toMatchObject({ kind: 'hold', replicas: 4 });
    expect(held({}, 0.46)).toMatchObject({ kind: 'hold', replicas: 4 });
  });

  it('holds when the metric has vanished, is stale, or is no number', () => {
    expect(held({})).toMatchObject({ kind: 'hold', reason: 'cpu is not known: it holds' });
    expect(held({}, Number.NaN).kind).toBe('hold');
    const old = metrics(4, 0.9, start - 10 * minute);
    expect(scale(scaling(), old, freshScalingMemory(0), start).kind).toBe('hold');
  });

  it('refuses to fight another scaler, and yields to a person', () => {
    expect(held({ autoscaler: 'HorizontalPodAutoscaler web' }, 0.9).reason).toContain('two scalers would fight');
    expect(held({ foreignWriteAt: start - minute }, 0.9).reason).toContain('left alone for another 4 min');
    expect(held({ foreignWriteAt: start - 6 * minute }, 0.9).kind).toBe('out');
  });

  it('takes nobody away during an incident, and still scales out', () => {
    expect(held({ trouble: 'web#1 is open' }, 0.1)).toMatchObject({
      kind: 'hold',
      reason: 'no pod is taken away now: web#1 is open',
    });
    expect(held({ trouble: 'web#1 is open' }, 0.9).kind).toBe('out');
    expect(held({ forbidden: 'the service is paused' }, 0.9).kind).toBe('hold');
  });

  it('takes nobody away while an instance can not be seen', () => {
    const some = metrics(4, 0.1, start);
    const [hidden, ...seen] = some.instances;
    if (!hidden) throw new Error('no instance');
    const { usage: _, ...blind } = hidden;
    const decision = scale(scaling(), { ...some, instances: [blind, ...seen] }, { since: 0, advice: [] }, start);
    expect(decision).toMatchObject({ kind: 'hold', reason: 'no pod is taken away while a metric is missing' });
  });

  it('takes those that are still starting for idle, so that it does not overshoot', () => {
    const busy = metrics(2, 0.9, start);
    const starting = { uid: 'new', serving: false };
    const decision = scale(
      scaling(),
      { replicas: 4, instances: [...busy.instances, starting, starting] },
      freshScalingMemory(0),
      start,
    );
    expect(decision).toMatchObject({ kind: 'hold', replicas: 4 });
  });

  it('scales in slowly, one step at a time, and only once it has been calm for the whole window', () => {
    const { path, replicas } = follow(scaling(), (count) => 0.4 / count, 30 * minute, 8);
    const first = path.findIndex(({ kind }) => kind === 'in');
    expect(first * 15 * second).toBeGreaterThanOrEqual(5 * minute);
    expect(path.every(({ replicas: count }, index) => count >= (path[index - 1]?.replicas ?? 8) - 1)).toBe(true);
    expect(replicas).toBe(2);
  });

  it('does not scale in after a short dip', () => {
    const { replicas } = follow(scaling(), (_, now) => (now % (4 * minute) < minute ? 0.1 : 0.5), hour);
    expect(replicas).toBe(4);
  });

  it('hears the greediest metric', () => {
    const spec = scaling({
      targets: [
        { metric: 'cpu', target: 0.5 },
        { metric: 'queue', target: 10 },
      ],
    });
    const instances = metrics(4, 0.1, start).instances.map((one) => ({
      ...one,
      usage: { at: start, metrics: { cpu: 0.1, queue: 20 } },
    }));
    expect(scale(spec, { replicas: 4, instances }, freshScalingMemory(0), start)).toMatchObject({
      kind: 'out',
      replicas: 8,
    });
  });

  it('stays within its bounds and its steps, whatever is measured', () => {
    const spec = scaling({
      min: 3,
      max: 9,
      out: { instances: 2, share: 0 },
      in: { instances: 1, share: 0, stabilisation: minute },
    });
    const loads = fc.array(fc.option(fc.double({ min: 0, max: 50, noNaN: true })), { minLength: 5, maxLength: 60 });
    fc.assert(
      fc.property(loads, fc.integer({ min: 3, max: 9 }), (load, from) => {
        const cpu = (_: number, now: number) =>
          load[Math.floor((now - start) / (15 * second)) % load.length] ?? undefined;
        let before = from;
        for (const { replicas } of follow(spec, cpu, 20 * minute, from).path) {
          expect(replicas).toBeGreaterThanOrEqual(3);
          expect(replicas).toBeLessThanOrEqual(9);
          expect(replicas - before).toBeLessThanOrEqual(2);
          expect(before - replicas).toBeLessThanOrEqual(1);
          before = replicas;
        }
      }),
    );
  });

  it('comes to rest under a steady load', () => {
    fc.assert(
      fc.property(fc.double({ min: 0.2, max: 9, noNaN: true }), fc.integer({ min: 2, max: 20 }), (load, from) => {
        const { path } = follow(scaling(), (replicas) => load / replicas, 3 * hour, from);
        const last = path.slice(-120).map(({ replicas }) => replicas);
        expect(new Set(last).size).toBe(1);
        const rest = last[0] ?? 0;
        const isOnTarget = Math.abs(load / rest - 0.5) <= 0.05 + 0.5 / rest;
        expect(isOnTarget || rest === 2 || rest === 20).toBe(true);
      }),
    );
  });
});
