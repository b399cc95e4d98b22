/** A child of several owners: all Teams of a namespace share the ConfigMap with its rules, and it goes with the last of them. */
import { ConfigMap, operator, resource, z } from '@kurator/sdk';

export const Team = resource({
  group: 'examples.kurator.sh',
  version: 'v1',
  kind: 'Team',
  spec: z.object({ members: z.int() }),
});

export const example = operator({ name: 'teams' })
  .controller(Team)
  .owns(ConfigMap, { shared: true })
  .reconcile(async (_, { apply }) => {
    await apply(ConfigMap, { metadata: { name: 'rules' }, data: { quiet: 'after ten' } });
  });
