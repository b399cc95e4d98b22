import type { Deployment } from '@kurator/sdk';
import { describe, expect, it } from 'vitest';
import type { Action, Incident } from '../../brain/incident/incident.ts';
import type { HeldBack } from '../../memory/service-record.ts';
import { heldBackBefore, heldBackNow, outcomeIn, templateToRun } from './hold-back.ts';

const template = (image: string) => ({ spec: { containers: [{ name: 'main', image }] } });
const live = (mark?: string) =>
  ({
    metadata: { name: 'web', ...(mark && { annotations: { 'kurator.sh/action': mark } }) },
    spec: { selector: {}, template: template('live') },
  }) as unknown as Deployment;
const rollback = { id: 'i/1.1', kind: 'rollback', revision: 'good', targets: [] } as unknown as Action;
const revisions = [{ id: 'good', version: 'good', number: 1, template: template('good') }];

describe('a template that is rolled back', () => {
  const held = heldBackBefore(undefined, 'sum', [rollback]) as HeldBack;

  it('is noted before that is done, and runs on until then', () => {
    expect(held).toEqual({ wanted: 'sum', revision: 'good', action: 'i/1.1' });
    expect(heldBackNow(held, { outcome: undefined, live: live() })).toBe(held);
    expect(templateToRun(template('wanted'), held, live(), revisions)).toEqual(template('live'));
  });

  it.each([
    ['as we know', { outcome: 'done' as const, live: undefined }],
    ['as the server shows', { outcome: undefined, live: live('i/1.1') }],
    ['though it was given up', { outcome: 'failed' as const, live: live('i/1.1') }],
  ])('stays away once that is done, %s', (_, how) => {
    const done = { wanted: 'sum', revision: 'good' };
    expect(heldBackNow(held, how)).toEqual(done);
    expect(heldBackNow(done, { outcome: undefined, live: live('other') })).toBe(done);
    expect(templateToRun(template('wanted'), done, live(), revisions)).toEqual(template('good'));
  });

  it('is what runs again when it came to nothing', () => {
    expect(heldBackNow(held, { outcome: 'withdrawn', live: live() })).toBeUndefined();
    expect(templateToRun(template('wanted'), undefined, live(), revisions)).toEqual(template('wanted'));
  });

  it('is known by what became of its action', () => {
    const incident = (outcome?: object) =>
      ({ attempts: [{ actions: [{ ...rollback, outcome }] }] }) as unknown as Incident;
    expect(outcomeIn(incident(), 'i/1.1')).toBeUndefined();
    expect(outcomeIn(incident({ result: 'done', at: 1 }), 'i/1.1')).toBe('done');
    expect(outcomeIn(undefined, 'i/1.1')).toBe('withdrawn');
  });

  it('leaves what runs alone when the good revision is not kept any more', () => {
    expect(templateToRun(template('wanted'), { wanted: 'sum', revision: 'gone' }, live(), revisions)).toEqual(
      template('live'),
    );
  });
});
