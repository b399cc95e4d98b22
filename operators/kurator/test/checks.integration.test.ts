// Checks by HTTPS and gRPC as a Kurator asks for them, through the healer, against real servers behind the pods.
import { conditionOf, Event, Node, Pod } from '@kurator/sdk';
import { eventually } from '@kurator/testenv';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AlertChannel } from '../src/resources/alert-channel.ts';
import { selfSigned } from './support/checks/certificate.ts';
import { type HealerWorld, healerWorld, quickCheck } from './support/healing/healer-world.ts';
import { byGrpc, byHttps, haveSecret } from './support/healing/secure-service.ts';
import type { StagedPod, StageSettings } from './support/healing/stage-service.ts';

let round: HealerWorld;

beforeEach(async () => {
  round = await healerWorld();
});
afterEach(async () => await round[Symbol.asyncDispose]());

const { http: _, ...quick } = quickCheck;
const caFrom = { name: 'authority', key: 'ca' };
const httpsCheck = (tls: object) => ({ checks: [{ ...quick, http: { port: 'main', tls } }], dryRun: true });

it('is not run against an address of the operator’s own machine, and says nothing about the service', async () => {
  await round.stage('web', 1);
  await round.adopt('web');
  await round.start(round.client, { allowAddresses: [] });
  const { status } = await round.untilHealth('web', 'Unknown');
  expect(status?.lastIncident).toBeUndefined();
});

it('has its alerts sent to no node of the cluster', async () => {
  // Nobody's: where it is not refused, nothing answers.
  const address = '2001:db8::77';
  const node = { name: `node-${round.namespace}` };
  await round.client.create(Node, { metadata: node });
  const status = { addresses: [{ type: 'InternalIP', address }] };
  await round.client.patch(Node, node, { status }, { subresource: 'status' });
  const channel = { name: 'hook', namespace: round.namespace };
  await round.client.create(AlertChannel, {
    metadata: channel,
    spec: { webhook: { url: `http://[${address}]/` }, default: true } as never,
  });
  const web = await round.stage('web');
  await round.adopt('web', { dryRun: true });
  await round.start();
  await round.untilHealth('web', 'Healthy');
  (web.pods[0] as StagedPod).status = 500;
  await eventually(
    async () => {
      const { status } = await round.client.get(AlertChannel, channel);
      expect(status?.lastError).toContain(`[${address}] must not be talked to`);
    },
    { timeout: '30s' },
  );
  await round.client.delete(Node, node);
});

describe('a pod with the address of a node', () => {
  // Nobody's.
  const podIP = '192.0.2.9';
  const permitted = async () => conditionOf((await round.kurator('web')).status?.conditions, 'Permitted');
  const untilPermitted = (status: 'True' | 'False') =>
    eventually(async () => expect(await permitted()).toMatchObject({ status }), { timeout: '20s' });
  const begin = async (settings: StageSettings) => {
    await round.client.create(Node, { metadata: node });
    const status = { addresses: [{ type: 'InternalIP', address: podIP }] };
    await round.client.patch(Node, node, { status }, { subresource: 'status' });
    const web = await round.stage('web', 1, settings);
    const pod = { name: web.pods[0]?.name ?? '', namespace: round.namespace };
    await round.client.patch(Pod, pod, { status: { podIP, podIPs: [{ ip: podIP }] } }, { subresource: 'status' });
    await round.adopt('web', { dryRun: true });
  };
  let node: { name: string };
  beforeEach(() => {
    node = { name: `node-${round.namespace}` };
  });
  afterEach(async () => await round.client.delete(Node, node));

  it('is not asked there unless it is in the network of its node, and who installs has allowed that', async () => {
    await begin({ hostNetwork: true });
    const first = await round.start();
    await untilPermitted('False');
    expect(await permitted()).toMatchObject({
      reason: 'AddressRefused',
      message: expect.stringMatching(/192\.0\.2\.9 .*kurator\.hostNetworkChecks/),
    });
    expect((await round.kurator('web')).status).toMatchObject({ health: 'Unknown' });
    await first.stop();
    await round.start(round.client, { hostNetworkChecks: true });
    await untilPermitted('True');
  });

  it('is not asked there if it is not in its network, whatever is allowed', async () => {
    await begin({});
    await round.start(round.client, { hostNetworkChecks: true });
    await untilPermitted('False');
  });
});

describe('a check by HTTPS', () => {
  it('trusts the authority of a Secret, and has nothing to warn of', async () => {
    const first = selfSigned({ name: 'web.test' });
    await haveSecret(round.client, round.namespace, 'authority', 'ca', first.cert);
    await round.stage('web', 2, byHttps(first));
    await round.adopt('web', httpsCheck({ serverName: 'web.test', caFrom }));
    await round.start();
    await round.untilHealth('web', 'Healthy');
    const { items } = await round.client.list(Event, { namespace: round.namespace });
    expect(items.map(({ message }) => message)).not.toContainEqual(expect.stringContaining('certificate'));
  });

  it.each([
    ['for another name', { name: 'web.test' }, { serverName: 'shop.test' }],
    ['that has ended', { name: 'web.test', from: -3, to: -1 }, { serverName: 'web.test' }],
  ])('fails for a certificate %s, and nothing is restarted for it', async (_, dates, tls) => {
    const certificate = selfSigned(dates);
    await haveSecret(round.client, round.namespace, 'authority', 'ca', certificate.cert);
    const web = await round.stage('web', 2, byHttps(certificate));
    await round.adopt('web', { ...httpsCheck({ ...tls, caFrom }), dryRun: false });
    await round.start();
    const { status } = await round.untilStage('web-1', 'handedOver');
    expect(status).toMatchObject({ cause: 'certificate', actions: [] });
    expect(await web.podNames()).toHaveLength(2);
  });

  it('fails for an authority that nobody knows, unless it is told to believe anything', async () => {
    const certificate = selfSigned({ name: 'web.test' });
    await round.stage('web', 1, byHttps(certificate));
    await round.stage('lax', 1, byHttps(certificate));
    await round.adopt('web', httpsCheck({ serverName: 'web.test' }));
    await round.adopt('lax', httpsCheck({ skipVerify: true }));
    await round.start();
    const { status } = await round.untilStage('web-1', 'handedOver');
    expect(JSON.stringify(status?.evidence)).toContain('tls-untrusted');
    await round.untilHealth('lax', 'Healthy');
  });

  it('says nothing about a service whose authority is not there', async () => {
    const certificate = selfSigned({ name: 'web.test' });
    await round.stage('web', 1, byHttps(certificate));
    await round.adopt('web', httpsCheck({ serverName: 'web.test', caFrom }));
    await round.start();
    await round.untilHealth('web', 'Unknown');
    expect((await round.kurator('web')).status?.lastIncident).toBeUndefined();
  });

  it('warns of a certificate that is about to end, of a service that is healthy', async () => {
    const certificate = selfSigned({ name: 'web.test', to: 5 });
    await haveSecret(round.client, round.namespace, 'authority', 'ca', certificate.cert);
    await round.stage('web', 1, byHttps(certificate));
    await round.adopt('web', httpsCheck({ serverName: 'web.test', caFrom }));
    await round.start();
    await round.untilHealth('web', 'Healthy');
    const warnings = async () => {
      const { items } = await round.client.list(Event, { namespace: round.namespace });
      return items.filter(({ type, message }) => type === 'Warning' && message?.includes('certificate ends in'));
    };
    await eventually(async () => expect(await warnings()).toHaveLength(1), { timeout: '20s' });
    expect((await round.kurator('web')).status?.lastIncident).toBeUndefined();
  });
});

describe('a check by gRPC', () => {
  it('asks the health service of each instance, and finds the one that does not serve', async () => {
    const web = await round.stage('web', 3, byGrpc);
    await round.adopt('web', { checks: [{ ...quick, grpc: { port: 'main', service: 'shop' } }] });
    await round.start();
    await round.untilHealth('web', 'Healthy');
    const ill = web.pods[1] as StagedPod;
    ill.status = 500;
    await eventually(async () => expect(await web.podNames()).not.toContain(ill.name), { timeout: '30s' });
    await web.addPod();
    const { status } = await round.untilStage('web-1', 'closed');
    expect(status).toMatchObject({ cause: 'wrong-answers', actions: [{ step: 'replace', targets: [ill.name] }] });
    expect(JSON.stringify(status?.evidence)).toContain('not-serving');
  });
});
