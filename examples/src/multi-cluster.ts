/** One operator, several clusters: each Announcement is shown in all of them, and gone from all of them with its object. */
import { type ClusterAccess, ConfigMap, operator, resource, z } from '@kurator/sdk';

export const Announcement = resource({
  group: 'examples.kurator.sh',
  version: 'v1',
  kind: 'Announcement',
  spec: z.object({ text: z.string() }),
});

export const example = (west: ClusterAccess = process.env.WEST_KUBECONFIG ?? '') =>
  operator({ name: 'announcements' })
    .cluster('west', west)
    .controller(Announcement)
    .owns(ConfigMap)
    .owns(ConfigMap, { cluster: 'west' })
    .reconcile(async ({ metadata: { name }, spec }, { apply }) => {
      const shown = { metadata: { name }, data: { text: spec.text } };
      await apply(ConfigMap, shown);
      await apply(ConfigMap, shown, { cluster: 'west' });
    });
