/** The part of the operator that delivers alerts, as a process of its own that can be killed: NAMESPACE. */
import { operator } from '@kurator/sdk';
import { sharedClient } from '@kurator/testenv';
import { Reach } from '../../../src/access/reach.ts';
import { Delivery, withAlertChannels } from '../../../src/voice/alerts/delivery.ts';

const [namespace = ''] = process.argv.slice(2);
const delivery = new Delivery({
  reach: () => new Reach({ allow: ['127.0.0.0/8'] }),
  firstPause: 100,
  longestPause: 500,
  refusals: 3,
});
const client = await sharedClient();
await withAlertChannels(operator({ name: 'kurator' }), delivery).start({
  client,
  namespaces: namespace,
  http: false,
  leaderElection: false,
  log: 'debug',
});
