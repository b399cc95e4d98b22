// What makes the healer look at once, on the real API server: checks here run once an hour unless something happens.
import { EndpointSlice, Event } from '@kurator/sdk';
import { eventually, testScope } from '@kurator/testenv';
import { describe, expect, it } from 'vitest';
import { type Hearing, hear } from '../src/senses/cluster-events.ts';
import { grantRole } from './support/healing/grant-role.ts';
import { type HealerWorld, healerWorld } from './support/healing/healer-world.ts';
import type { StagedPod } from './support/healing/stage-service.ts';

const seldom = { http: { port: 'main' }, period: '1h', timeout: '2s', failAfter: 1, recoverAfter: 1 };

/** As the kubelet would say it. */
async function warn({ client, namespace }: HealerWorld, { name, uid }: StagedPod, type = 'Warning'): Promise<void> {
  await client.create(Event, {
    metadata: { generateName: `${name}.`, namespace },
    involvedObject: { apiVersion: 'v1', kind: 'Pod', name, namespace, uid },
    type,
    reason: 'Unhealthy',
    message: 'Readiness probe failed',
  });
}

describe('a warning about a pod', () => {
  it('has it checked at once, by an operator with no rights but its own', async () => {
    await using round = await healerWorld();
    const { pods } = await round.stage('web');
    await round.adopt('web', { checks: [seldom], dryRun: true });
    await using operator = await grantRole(round);
    await round.start(operator.client);
    await round.untilHealth('web', 'Healthy');
    const [ill] = pods as [StagedPod];
    ill.status = 500;
    // Once the operator listens, one is enough; how long that takes after its start nobody knows.
    await eventually(
      async () => {
        await warn(round, ill);
        expect((await round.kurator('web')).status?.health).toBe('Degraded');
      },
      { timeout: '30s' },
    );
    expect((await round.untilStage('web-1', 'proposed')).status).toMatchObject({ cause: 'wrong-answers' });
  });
});

describe('hearing', () => {
  const slice = (namespace: string, name: string) => ({
    metadata: { name, namespace, labels: { 'kubernetes.io/service-name': 'web' } },
    addressType: 'IPv4' as const,
    endpoints: [],
  });

  it('brings what happens from now on, by its metadata alone, and again after a watch that was broken off', async () => {
    await using test = await testScope('hearing');
    const { client, namespace } = test;
    await client.create(EndpointSlice, slice(namespace, 'before'));
    const heard: string[] = [];
    let watches = 0;
    const hearing: Hearing<EndpointSlice> = {
      type: EndpointSlice,
      selection: { namespace, metadataOnly: true },
      onNews({ metadata, endpoints }, what) {
        heard.push(`${what} ${metadata.name}`);
        expect(endpoints).toBeUndefined();
        if (metadata.name === 'breaks') throw new Error('whoever hears it fails');
      },
      onTrouble: () => void watches++,
    };
    test.run((signal) => hear(client, hearing, signal));
    // It begins somewhere after its first list: until then changes are not heard of.
    let tries = 0;
    await eventually(async () => {
      await client.create(EndpointSlice, slice(namespace, `try-${tries++}`));
      expect(heard).toContain(`ADDED try-${tries - 1}`);
    });
    expect(heard).not.toContain('ADDED before');
    await client.create(EndpointSlice, slice(namespace, 'breaks'));
    await eventually(() => expect(watches).toBe(1));
    await eventually(async () => {
      await client.patch(
        EndpointSlice,
        { name: 'before', namespace },
        { endpoints: [{ addresses: [`10.0.0.${++tries}`] }] },
      );
      expect(heard).toContain('MODIFIED before');
    });
    await client.delete(EndpointSlice, { name: 'before', namespace });
    await eventually(() => expect(heard).toContain('DELETED before'));
  });
});
