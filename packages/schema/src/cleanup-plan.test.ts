import type { KubernetesObject } from '@kurator/client';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Cleanup, childrenAfter, removalTime, resource } from './index.ts';

const withCleanup = (cleanup: Cleanup) =>
  resource({ group: 'example.com', version: 'v1', kind: 'Task', spec: z.object({}), cleanup });

describe('children', () => {
  it.each<[Cleanup, ReturnType<typeof childrenAfter>]>([
    [{}, 'delete'],
    [{ children: 'orphan' }, 'orphan'],
    [{ children: { keepFor: '1d12h' } }, { keepForMilliseconds: 129_600_000 }],
    [{ children: { keepFor: 500 } }, { keepForMilliseconds: 500 }],
  ])('declared as %j are treated as %j', (cleanup, plan) => {
    expect(childrenAfter(withCleanup(cleanup))).toEqual(plan);
  });
});

describe('finished objects', () => {
  const noon = Date.parse('2026-01-01T12:00:00Z');
  const object = (parts: object) =>
    ({ apiVersion: '', kind: '', metadata: { name: 'a' }, ...parts }) as KubernetesObject;
  const complete = (status: string) => ({
    conditions: [{ type: 'Complete', status, lastTransitionTime: '2026-01-01T12:00:00Z' }],
  });

  it('are removed some time after their condition came true', () => {
    const Task = withCleanup({ finished: { when: { condition: 'Complete' }, removeAfter: '1h' } });
    expect(removalTime(Task, object({ status: complete('True') }))).toBe(noon + 3_600_000);
    expect(removalTime(Task, object({ status: complete('False') }))).toBeUndefined();
    expect(removalTime(Task, object({}))).toBeUndefined();
  });

  it('are removed some time after a field says so', () => {
    const when = { path: '.status.phase', in: ['Done', 'Failed'], since: '.status.endedAt' };
    const Task = withCleanup({ finished: { when, removeAfter: 1000 } });
    const endedAt = '2026-01-01T12:00:00Z';
    expect(removalTime(Task, object({ status: { phase: 'Failed', endedAt } }))).toBe(noon + 1000);
    expect(removalTime(Task, object({ status: { phase: 'Running', endedAt } }))).toBeUndefined();
    expect(removalTime(Task, object({ status: { phase: 'Done', endedAt: 'soon' } }))).toBeUndefined();
  });

  it.each([
    [{ ttl: 60 }, 60_000],
    [{ ttl: '2m' }, 120_000],
    [{}, undefined],
    [{ ttl: 'long' }, undefined],
  ])('may say themselves how long they are kept: %j', (spec, milliseconds) => {
    const Task = withCleanup({ finished: { when: { condition: 'Complete' }, removeAfter: { path: '.spec.ttl' } } });
    const at = removalTime(Task, object({ spec, status: complete('True') }));
    expect(at).toBe(milliseconds === undefined ? undefined : noon + milliseconds);
  });

  it('stay where nothing is declared', () => {
    expect(removalTime(withCleanup({}), object({ status: complete('True') }))).toBeUndefined();
  });

  it('refuse paths that lead nowhere a field can be', () => {
    const finished = { when: { condition: 'Complete' }, removeAfter: { path: 'spec.ttl' } };
    expect(() => withCleanup({ finished })).toThrow(
      'cleanup.finished.removeAfter.path: spec.ttl is no path to a field',
    );
  });
});
