// Alerts to a real Alertmanager: they appear there with their labels, and end when the incident does.
import { eventually } from '@kurator/testenv';
import { expect, it } from 'vitest';
import { AlertWorld } from './support/alerting/alert-world.ts';
import { Alertmanager, obtainAlertmanager } from './support/alertmanager.ts';

const patient = { timeout: '60s' } as const;

it('an incident is one alert, which is there until it is resolved', async ({ skip }) => {
  const obtained = obtainAlertmanager();
  if ('missing' in obtained) return skip(obtained.missing);
  await using world = await AlertWorld.open();
  await using alertmanager = await Alertmanager.start(obtained.program);
  await world.channel('prom', { alertmanager: { url: alertmanager.url, labels: { team: 'shop' } } });
  await world.deliver();
  // It may still be starting: what it doesn't take yet waits in the outbox.
  await world.tell(1, { severity: 'warning', stage: 'confirmed', title: 'web is not well' });
  await world.tell(2, { severity: 'page', stage: 'handedOver', title: 'web needs on-call', group: 'storm' });
  await eventually(async () => {
    const alerts = await alertmanager.alerts();
    expect(alerts).toMatchObject([
      {
        labels: {
          alertname: 'KuratorIncident',
          namespace: world.scope.namespace,
          service: 'web',
          incident: 'web-1',
          team: 'shop',
        },
        annotations: { summary: 'web needs on-call', severity: 'page', stage: 'handedOver' },
        status: { state: 'active' },
      },
    ]);
  }, patient);
  await world.tell(3, { severity: 'resolved', stage: 'recovered', title: 'web is well again' });
  await eventually(async () => expect(await alertmanager.alerts()).toEqual([]), patient);
  // It has an alert before the operator has written down that it does.
  await eventually(async () => expect(await world.status('prom')).toMatchObject({ delivered: 3, pending: 0 }));
});
