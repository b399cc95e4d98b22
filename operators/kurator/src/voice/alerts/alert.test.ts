import { describe, expect, it } from 'vitest';
import { aNotification, anAlert, anIncident } from '../../../test/support/alerting/an-alert.ts';
import { alertOf, textOf } from './alert.ts';

const kurator = { metadata: { name: 'web', namespace: 'shop', uid: '1f9c2a7e-0000-4000-8000-000000000000' } };
const incident = anIncident();
const others = [{ name: 'shop/db', state: 'down' }];

describe('an alert', () => {
  it('says who, what, why, what was done and how the others do', () => {
    const attempt = {
      step: 'replace',
      startedAt: 0,
      deadline: 0,
      present: [],
      actions: [
        {
          id: 'a',
          kind: 'evict',
          targets: [],
          expect: { generation: 1, revision: '1' },
          reason: 'web-a is taken away',
          intendedAt: 0,
          outcome: { result: 'done', at: 1 },
        },
      ],
    } as never;
    const alert = alertOf({
      kurator,
      incident: anIncident({ attempts: [attempt] }),
      notification: aNotification(),
      others,
    });
    expect(alert).toMatchObject({
      id: '1f9c2a7e/shop/web#1/2',
      thread: '1f9c2a7e/shop/web#1',
      namespace: 'shop',
      service: 'web',
      incident: 'web-1',
      severity: 'warning',
      status: 'firing',
      others,
    });
    expect(alert.lines).toEqual(['is not well: 2 of 3 pods fail', 'replace: web-a is taken away (done)']);
  });

  it('of a service that was made again is not taken for one of the service before it', () => {
    const again = { metadata: { ...kurator.metadata, uid: 'ffffffff-0000-4000-8000-000000000000' } };
    const [one, other] = [kurator, again].map((owner) =>
      alertOf({ kurator: owner, incident, notification: aNotification(), others }),
    );
    expect(one?.id).not.toBe(other?.id);
    expect(one?.thread).not.toBe(other?.thread);
  });

  it('is resolved when the service is well again, and when it was nothing', () => {
    const statusOf = (differences: object) =>
      alertOf({ kurator, incident, notification: aNotification(differences), others }).status;
    expect(statusOf({ severity: 'resolved', stage: 'recovered' })).toBe('resolved');
    expect(statusOf({ severity: 'info', stage: 'dismissed' })).toBe('resolved');
    expect(statusOf({ severity: 'info', stage: 'suspected' })).toBe('firing');
  });

  it('is bounded, whatever happened, and says that there was more', () => {
    const lines = Array.from({ length: 500 }, (_, index) => `${index} ${'é'.repeat(5000)}`);
    const many = lines.map((line) => ({ name: line.slice(0, 200), state: 'down' }));
    const alert = alertOf({ kurator, incident, notification: aNotification({ lines }), others: many });
    expect(JSON.stringify(alert).length).toBeLessThan(16_000);
    expect(alert.lines.at(-1)).toMatch(/^… and \d+ more$/);
  });

  it('holds nothing that looks like a secret, and no line breaks in a line', () => {
    const lines = ['exec said: password=hunter2hunter2\nBearer abcdefghijklmnop'];
    const alert = alertOf({ kurator, incident, notification: aNotification({ lines }), others });
    expect(JSON.stringify(alert)).not.toMatch(/hunter2|abcdefghijklmnop|\\n/);
  });
});

it('as text it has the title first, then the lines, the others, and where to look', () => {
  expect(textOf(anAlert()).split('\n')).toEqual([
    'shop/web is not well',
    '',
    '- is not well: 2 of 3 pods fail',
    '',
    'Others:',
    '- shop/db: healthy',
    '',
    'kubectl -n shop get incident web-1 -o yaml',
  ]);
  expect(textOf(anAlert({ others: [] }))).not.toContain('Others');
});
