import type { UntypedObject } from '@kurator/client';
import { describe, expect, it } from 'vitest';
import { has } from './levels/autopilot.ts';
import { judgedLog, judgedMetrics } from './levels/insight.ts';
import { conditionsProblem, readiness, reconciledProblem } from './objects.ts';
import { differences } from './photograph.ts';

const object = (status: object | undefined): UntypedObject =>
  ({ kind: 'Garden', metadata: { name: 'roses', namespace: 'shop', generation: 3 }, status }) as never;

describe('an object', () => {
  it('is done with when the operator has seen its latest form', () => {
    expect(reconciledProblem(object({ observedGeneration: 3 }))).toBeUndefined();
    expect(reconciledProblem(object({ observedGeneration: 2 }))).toContain('generation 3, seen 2');
    expect(reconciledProblem(object(undefined))).toBe('Garden shop/roses has no status.observedGeneration');
  });

  it('says how it is, with a reason', () => {
    const ready = { type: 'Ready', status: 'True', reason: 'Grown' };
    expect(conditionsProblem(object({ conditions: [ready] }))).toBeUndefined();
    expect(conditionsProblem(object({ conditions: [{ ...ready, reason: '' }] }))).toContain('Ready gives no reason');
    expect(conditionsProblem(object({}))).toBe('Garden shop/roses has no conditions');
    expect(readiness(object({ conditions: [ready] }))).toBe('True');
  });
});

describe('what happened to the operator', () => {
  const was = { uid: 'a', spec: { beds: 2 }, ready: 'True', isDone: true };
  const compared = (is: object | undefined) =>
    differences(new Map([['roses', was]]), new Map(is ? [['roses', { ...was, ...is }]] : []));

  it('lost nothing where all is as it was', () => expect(compared({})).toEqual([]));

  it.each([
    [undefined, 'roses is gone'],
    [{ uid: 'b' }, 'roses is another object'],
    [{ spec: { beds: 1 } }, 'the spec of roses has changed'],
    [{ ready: 'False' }, 'roses is no longer ready'],
  ])('lost something: %o', (is, told) => expect(compared(is)).toEqual([told]));
});

describe('a change that somebody made', () => {
  it('is there as long as all of it is', () => {
    const object = { spec: { replicas: 0, other: 1 }, data: {} };
    expect(has(object, { spec: { replicas: 0 } })).toBe(true);
    expect(has(object, { spec: { replicas: 2 } })).toBe(false);
    expect(has(object, { data: { key: 'x' } })).toBe(false);
  });
});

describe('metrics', () => {
  it.each([
    [{ controller_runtime_reconcile_total: 3 }, 'met'],
    [{ controller_runtime_reconcile_total: 0 }, 'untested'],
    [{ process_cpu_seconds_total: 3, max_concurrent_reconciles: 8 }, 'unmet'],
  ])('of %j are %s', (found, result) => expect(judgedMetrics(new Map(Object.entries(found))).result).toBe(result));
});

describe('a log', () => {
  it.each([
    ['{"level":"info"}\n{"level":"warn"}\n', 'met'],
    ['started\n{"level":"info"}\n', 'unmet'],
    ['', 'untested'],
  ])('of %j is %s', (log, result) => expect(judgedLog(log).result).toBe(result));
});
