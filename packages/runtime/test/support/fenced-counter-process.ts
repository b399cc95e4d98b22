/**
 * A replica for tests: while it leads, it counts up in a ConfigMap, as fast as it can, each time after a look at the
 * fence. Started as a process of its own, so that it can be frozen. Arguments: namespace and identity.
 */
import { ConfigMap } from '@kurator/client';
import { sharedClient } from '@kurator/testenv';
import { createLeaderElection } from '../../src/leadership/election.ts';
import type { Leadership } from '../../src/leadership/leadership.ts';

const [namespace = '', identity = ''] = process.argv.slice(2);
const client = await sharedClient();
const election = createLeaderElection({
  client: await sharedClient(),
  lease: { name: 'counter', namespace },
  identity,
  leaseDuration: 2_000,
  renewDeadline: 1_500,
  retryPeriod: 300,
});

for (;;) await count(await election.campaign());

async function count(leadership: Leadership): Promise<void> {
  while (!leadership.signal.aborted) {
    try {
      const counter = await client.get(ConfigMap, { name: 'counter', namespace });
      leadership.fence();
      const data = { count: String(Number(counter.data?.count ?? 0) + 1), by: identity, term: String(leadership.term) };
      await client.replace(ConfigMap, { ...counter, data });
    } catch {
      // Fenced, or a newer leader's write was there first: either way, not ours to do.
    }
  }
}
