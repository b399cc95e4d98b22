// Where the API server really is, as the cluster says: nobody has the operator talk to it.
import { EndpointSlice, Service } from '@kurator/sdk';
import { eventually } from '@kurator/testenv';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AlertChannel } from '../src/resources/alert-channel.ts';
import { grantRole } from './support/healing/grant-role.ts';
import { type HealerWorld, healerWorld } from './support/healing/healer-world.ts';
import type { StagedPod } from './support/healing/stage-service.ts';

/** Of a range that is for examples: nobody is there. */
const endpoint = '192.0.2.77';
const patient = { timeout: '40s' } as const;

let round: HealerWorld;
let slice: { name: string; namespace: string };

beforeEach(async () => {
  round = await healerWorld();
  slice = { name: `kubernetes-${round.namespace}`, namespace: 'default' };
  await round.client.create(EndpointSlice, {
    metadata: { ...slice, labels: { 'kubernetes.io/service-name': 'kubernetes' } },
    addressType: 'IPv4',
    endpoints: [{ addresses: [endpoint] }],
    ports: [{ name: 'https', port: 6443 }],
  });
});
afterEach(async () => {
  await round.client.delete(EndpointSlice, slice);
  await round[Symbol.asyncDispose]();
});

/** Has an alert for a channel with this address. */
const alertTo = async (url: string) => {
  const { client, namespace } = round;
  const web = await round.stage('web');
  await client.create(AlertChannel, {
    metadata: { name: 'hook', namespace },
    spec: { webhook: { url }, default: true, timeout: '500ms' } as never,
  });
  await round.adopt('web', { dryRun: true });
  return { fallIll: () => Object.assign(web.pods[0] as StagedPod, { status: 500 }) };
};
const lastError = async () =>
  (await round.client.get(AlertChannel, { name: 'hook', namespace: round.namespace })).status?.lastError;

describe('the API server', () => {
  it('is not POSTed to at its endpoints', async () => {
    const { fallIll } = await alertTo(`https://${endpoint}:6443/`);
    await round.start();
    await round.untilHealth('web', 'Healthy');
    fallIll();
    await eventually(async () => expect(await lastError()).toContain('must not be talked to'), patient);
  });

  it('is not POSTed to at the address of its Service', async () => {
    const { spec } = await round.client.get(Service, { name: 'kubernetes', namespace: 'default' });
    const { fallIll } = await alertTo(`https://${spec?.clusterIP}/`);
    await round.start();
    await round.untilHealth('web', 'Healthy');
    fallIll();
    await eventually(async () => expect(await lastError()).toContain('must not be talked to'), patient);
  });

  it('is said once not to be known where that may not be read', async () => {
    await using operator = await grantRole(round);
    await round.stage('web');
    await round.adopt('web');
    await round.start(operator.client);
    await round.untilHealth('web', 'Healthy');
    const said = () => round.logged.filter(({ message }) => String(message).includes('endpoints of the API server'));
    expect(said()).toHaveLength(1);
  });
});
