import type { Deployment } from '@kurator/sdk';
import { describe, expect, it } from 'vitest';
import type { Incident } from '../brain/incident/incident.ts';
import { markOfScaling } from '../resources/ownership.ts';
import { restartAnnotation } from '../resources/revision.ts';
import { foreignChange, knownWorkload, lastWriter, rememberedWorkload } from './foreign-write.ts';

const template = (image: string) => ({ metadata: { labels: {} }, spec: { containers: [{ name: 'main', image }] } });
const deployment = (image: string, replicas = 3, mark?: string, rest: object = {}): Deployment => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', uid: 'u1', generation: 1, ...(mark && { annotations: { 'kurator.sh/action': mark } }) },
  spec: { selector: {}, replicas, template: template(image), ...rest },
});
const revisions = [{ id: 'good', version: 'good', number: 1, template: template('web:1') }];
const incident = (action: object) => ({ attempts: [{ actions: [action] }] }) as unknown as Incident;
const before = knownWorkload(deployment('web:2'));

describe('a change of the workload', () => {
  it.each([
    ['a new template', deployment('web:3'), 'template'],
    ['another number of replicas', deployment('web:2', 5), 'replicas'],
    ['something else', deployment('web:2', 3, undefined, { minReadySeconds: 5 }), 'other'],
    ['another object of the same name', { ...deployment('web:2'), metadata: { name: 'web', uid: 'u2' } }, 'template'],
    ['nothing but annotations', deployment('web:2', 3, 'whatever'), undefined],
  ])('is somebody else’s: %s', (_, workload, what) => {
    expect(foreignChange(before, workload, undefined, revisions)).toBe(what);
  });

  it('is nobody’s when it was never seen before', () => {
    expect(foreignChange(undefined, deployment('web:3'), undefined, revisions)).toBeUndefined();
  });

  it('is ours when it is what our action was to make', () => {
    const rollback = incident({ id: 'a/1', revision: 'good' });
    expect(foreignChange(before, deployment('web:1', 3, 'a/1'), rollback, revisions)).toBeUndefined();
    const scale = incident({ id: 'a/1', replicas: 4 });
    expect(foreignChange(before, deployment('web:2', 4, 'a/1'), scale, revisions)).toBeUndefined();
    const elastic = deployment('web:2', 7, markOfScaling(9, 7));
    expect(foreignChange(before, elastic, undefined, revisions)).toBeUndefined();
  });

  it('is somebody else’s when it came after ours, though our mark is still there', () => {
    const rollback = incident({ id: 'a/1', revision: 'good' });
    expect(foreignChange(before, deployment('web:4', 3, 'a/1'), rollback, revisions)).toBe('template');
    expect(foreignChange(before, deployment('web:2', 9, markOfScaling(9, 7)), undefined, revisions)).toBe('replicas');
  });

  describe('that restarts it', () => {
    const at = '2026-11-16T08:00:00.000Z';
    const roll = incident({ id: 'a/1', kind: 'roll', expect: { revision: 'good' }, intendedAt: Date.parse(at) });
    const first = knownWorkload(deployment('web:1'));
    const restartOf = (image: string, mark: string, time = at) => {
      const { spec, ...rest } = deployment(image, 3, mark);
      const fresh = { ...template(image), metadata: { labels: {}, annotations: { [restartAnnotation]: time } } };
      return { ...rest, spec: { selector: {}, ...spec, template: fresh } };
    };

    it('is ours when it is what our action was to make', () => {
      expect(foreignChange(first, restartOf('web:1', 'a/1'), roll, revisions)).toBeUndefined();
    });

    it('is somebody else’s where they did it, or deployed in the middle of ours', () => {
      expect(foreignChange(first, restartOf('web:1', ''), roll, revisions)).toBe('template');
      expect(foreignChange(first, restartOf('web:1', 'a/1', '2026-11-16T08:00:01Z'), roll, revisions)).toBe('template');
      expect(foreignChange(first, restartOf('web:2', 'a/1'), roll, revisions)).toBe('template');
    });
  });

  it('stays on record until there is a newer one', () => {
    const write = { at: 1, by: 'alice', what: 'template' as const };
    const noted = rememberedWorkload(before, deployment('web:3'), write, revisions);
    expect(noted.foreignWrite).toEqual(write);
    expect(rememberedWorkload(noted, deployment('web:3'), undefined, revisions)).toBe(noted);
    expect(rememberedWorkload(noted, deployment('web:3', 4), undefined, revisions).foreignWrite).toEqual(write);
  });

  it('is told by the name of its writer, the newest who is not we', () => {
    const fieldsV1 = { 'f:spec': {} };
    const managedFields = [
      { manager: 'alice', time: '2026-01-01T00:00:00Z', fieldsV1 },
      { manager: 'helm', time: '2026-01-02T00:00:00Z', fieldsV1 },
      { manager: 'kurator', time: '2026-01-03T00:00:00Z', fieldsV1 },
      { manager: 'kube-controller-manager', time: '2026-01-04T00:00:00Z', subresource: 'status', fieldsV1 },
    ];
    const workload = deployment('web:1');
    expect(lastWriter({ ...workload, metadata: { ...workload.metadata, managedFields } }, ['kurator'])).toBe('helm');
    expect(lastWriter(workload, ['kurator'])).toBe('somebody');
  });
});
