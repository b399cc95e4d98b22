/** The switch of the whole cluster: one object, found in a hurry. */
import { type ObjectOf, resource, z } from '@kurator/sdk';
import { group, version } from './group.ts';

/** What the only one is called. */
export const switchName = 'cluster';

/** The switch of the whole cluster: whether Kurator repairs, only says what it would repair, or does nothing. */
export const KuratorSwitch = resource({
  group,
  version,
  kind: 'KuratorSwitch',
  scope: 'Cluster',
  shortNames: ['kswitch'],
  description:
    'The switch of the whole cluster: whether Kurator repairs, only says what it would repair, or does nothing.',
  spec: z.object({
    mode: z
      .enum(['Off', 'Observe', 'On'])
      .describe('Off: nothing is done. Observe: what would be done is only said. On: it is done.'),
    by: z.string().max(253).optional().describe('Who has set it.'),
    reason: z.string().max(1024).optional().describe('Why it is set so.'),
  }),
  rules: [
    { rule: `self.metadata.name == '${switchName}'`, message: `there is one switch, and its name is ${switchName}` },
  ],
  status: z.object({
    mode: z.string().describe('What Kurator obeys.'),
    since: z.iso.datetime().describe('Since when it does.'),
  }),
  columns: {
    Mode: '.spec.mode',
    Obeyed: '.status.mode',
    Since: { path: '.status.since', type: 'date' },
    By: '.spec.by',
    Reason: '.spec.reason',
  },
});
export type KuratorSwitch = ObjectOf<typeof KuratorSwitch>;
