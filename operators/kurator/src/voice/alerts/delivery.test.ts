import { operator } from '@kurator/sdk';
import { expect, it } from 'vitest';
import { withAlertChannels } from './delivery.ts';

it('may write the status of channels and read nodes and Kurators, and no more: to read Secrets is an optional role', async () => {
  const { namespaced, cluster } = await withAlertChannels(operator({ name: 'kurator' })).permissions();
  // Whose addresses no channel may name.
  expect(cluster).toEqual([{ apiGroups: [''], resources: ['nodes'], verbs: ['get', 'list', 'watch'] }]);
  expect(namespaced).toEqual([
    { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['create', 'patch'] },
    { apiGroups: ['kurator.sh'], resources: ['alertchannels', 'kurators'], verbs: ['get', 'list', 'watch'] },
    { apiGroups: ['kurator.sh'], resources: ['alertchannels/status'], verbs: ['update', 'patch'] },
  ]);
});
