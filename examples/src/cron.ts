/** Cron: each Report is written at the times that it says, in its own time zone; a time that was missed is made up for. */
import { ConfigMap, operator, resource, z } from '@kurator/sdk';

export const Report = resource({
  group: 'examples.kurator.sh',
  version: 'v1',
  kind: 'Report',
  spec: z.object({ schedule: z.string().min(9).default('0 6 * * *'), paused: z.boolean().default(false) }),
});

export const example = operator({ name: 'reports' })
  .controller(Report)
  .uses(ConfigMap, ['patch'])
  .cron(
    ({ spec }) => (spec.paused ? undefined : spec.schedule),
    async ({ metadata: { name, namespace } }, { client, event }) => {
      const data = { written: new Date().toISOString() };
      await client.apply(
        ConfigMap,
        { metadata: { name, namespace: namespace ?? '' }, data },
        { fieldManager: 'reports' },
      );
      event('Normal', 'Written', `the report ${name} was written`);
    },
  );
