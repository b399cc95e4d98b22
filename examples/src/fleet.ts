/**
 * Clusters that come and go while it runs: a Secret with an address and credentials makes one a member, and an operator works there
 * for as long as the Secret says so. It has caches of its own, and its Lease is in that cluster: whoever leads here, two never
 * write there at once. A member that can't be reached is tried again, and holds up nobody else.
 */
import { ConfigMap, createClient, diff, operator, resource, Secret, z } from '@kurator/sdk';

export const Notice = resource({
  group: 'examples.kurator.sh',
  version: 'v1',
  kind: 'Notice',
  spec: z.object({ text: z.string() }),
});

const notices = operator({ name: 'notices' })
  .controller(Notice)
  .owns(ConfigMap)
  .reconcile(async ({ metadata: { name }, spec }, { apply }) => {
    await apply(ConfigMap, { metadata: { name }, data: { text: spec.text } });
  });

export const example = operator({ name: 'fleet' })
  .controller(Secret, { labels: { 'examples.kurator.sh/fleet': 'member' } })
  .daemon(
    async ({ data = {} }, { signal }) => {
      const text = (name: string) => Buffer.from(data[name] ?? '', 'base64').toString();
      // Not a kubeconfig: that may name programs to run, and whoever writes Secrets would run them here.
      const config = { server: text('server'), ca: text('ca.crt'), cert: text('tls.crt'), key: text('tls.key') };
      const client = createClient(config);
      try {
        const leaderElection = { namespace: text('namespace') };
        const member = await notices.start({ client, signal, leaderElection, http: false, log: 'error' });
        await member.ended;
      } finally {
        await client.close();
      }
    },
    { restartWhen: (change) => diff(change.previous()?.data, change.object().data).length > 0 },
  );
