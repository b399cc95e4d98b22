import type { Deployment } from '@kurator/sdk';
import { describe, expect, it } from 'vitest';
import type { Action, Incident } from '../brain/incident/incident.ts';
import { heldBackBefore, heldBackNow, templateToRun } from './hold-back.ts';

const template = (image: string) => ({ spec: { containers: [{ name: 'main', image }] } });
const live = (mark?: string) =>
  ({
    metadata: { name: 'web', ...(mark && { annotations: { 'kurator.sh/action': mark } }) },
    spec: { selector: {}, template: template('live') },
  }) as unknown as Deployment;
const rollback = { id: 'i/1.1', kind: 'rollback', revision: 'good', targets: [] } as unknown as Action;
const pending = { attempts: [{ actions: [rollback] }] } as unknown as Incident;
const revisions = [{ id: 'good', number: 1, template: template('good') }];

describe('a template that is rolled back', () => {
  it('is noted before that is done, and runs on until then', () => {
    const held = heldBackBefore(undefined, 'sum', [rollback]);
    expect(held).toEqual({ wanted: 'sum', revision: 'good', action: 'i/1.1' });
    expect(heldBackNow(held, 'sum', live(), pending)).toBe(held);
    expect(templateToRun(template('wanted'), held, live(), revisions)).toEqual(template('live'));
  });

  it('stays away once that is done', () => {
    const held = heldBackBefore(undefined, 'sum', [rollback]);
    const done = heldBackNow(held, 'sum', live('i/1.1'), undefined);
    expect(done).toEqual({ wanted: 'sum', revision: 'good' });
    expect(heldBackNow(done, 'sum', live('other'), undefined)).toBe(done);
    expect(templateToRun(template('wanted'), done, live(), revisions)).toEqual(template('good'));
  });

  it('is what runs again when it came to nothing', () => {
    const held = heldBackBefore(undefined, 'sum', [rollback]);
    expect(heldBackNow(held, 'sum', live(), undefined)).toBeUndefined();
  });

  it('comes back when the person wants something else', () => {
    expect(heldBackNow({ wanted: 'sum', revision: 'good' }, 'another', live(), undefined)).toBeUndefined();
    expect(templateToRun(template('wanted'), undefined, live(), revisions)).toEqual(template('wanted'));
  });

  it('leaves what runs alone when the good revision is not kept any more', () => {
    expect(templateToRun(template('wanted'), { wanted: 'sum', revision: 'gone' }, live(), revisions)).toEqual(
      template('live'),
    );
  });
});
