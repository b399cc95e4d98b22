import { describe, expect, it } from 'vitest';
import { anAlert } from '../../../../test/support/alerting/an-alert.ts';
import { alertmanagerAlert } from './alertmanager.ts';
import { pagerDutyEvent } from './pager-duty.ts';

const over = { severity: 'resolved', status: 'resolved' } as const;
const now = Date.UTC(2026, 0, 2);

describe('an alert for Alertmanager', () => {
  it('has the same labels from suspicion to recovery, whatever group it falls into', () => {
    const first = alertmanagerAlert(anAlert({ severity: 'info', stage: 'suspected' }), { team: 'a' }, now);
    const last = alertmanagerAlert(anAlert({ ...over, stage: 'recovered', group: 'storm' }), { team: 'a' }, now);
    expect(last.labels).toEqual(first.labels);
    expect(first.labels).toEqual({
      alertname: 'KuratorIncident',
      namespace: 'shop',
      service: 'web',
      incident: 'web-1',
      team: 'a',
    });
  });

  it('ends in the future while it lasts, however late it is sent, and never before it began', () => {
    expect(Date.parse(alertmanagerAlert(anAlert(), {}, now).endsAt)).toBeGreaterThan(now);
    const early = alertmanagerAlert(anAlert({ ...over, at: '2020-01-01T00:00:00.000Z' }), {}, now);
    expect(early.endsAt).toBe(early.startsAt);
  });
});

describe('an event for PagerDuty', () => {
  it('opens and resolves by the same key', () => {
    const opened = pagerDutyEvent(anAlert({ severity: 'page' }), 'key');
    expect(opened).toMatchObject({
      routing_key: 'key',
      event_action: 'trigger',
      dedup_key: '1f9c2a7e/shop/web#1',
      payload: { summary: 'shop/web is not well', source: 'shop/web', severity: 'critical', component: 'web' },
    });
    expect(pagerDutyEvent(anAlert(over), 'key')).toMatchObject({
      event_action: 'resolve',
      dedup_key: opened.dedup_key,
    });
  });
});
