/** The controller of alert channels, for the operator that tells: it sends what is in their outboxes. */
import { Node, type Operator } from '@kurator/sdk';
import { AlertChannel } from '../resources/alert-channel.ts';
import { Kurator } from '../resources/kurator.ts';
import { Delivery } from './delivery.ts';

/** A sink may take a minute to answer: it must not take another channel's turn. */
const CONCURRENCY = 32;

/** The same operator, which also delivers alerts. */
export function withAlertChannels<Clusters extends string>(
  operator: Operator<Clusters>,
  delivery: Delivery = new Delivery(),
): Operator<Clusters> {
  return (
    operator
      // The status is all our own writing: the SDK's would put back what was there when the reconcile began.
      .controller(AlertChannel, { readyCondition: false, concurrency: CONCURRENCY, timeout: '3m' })
      // Whose addresses are not for channels to talk to.
      .reads(Node)
      // What is open for one that is gone is closed.
      .watches(Kurator, ({ metadata: { namespace = '' } }, look) => look.list(AlertChannel, { namespace }), {
        predicate: (change) => change.type === 'deleted' || change.object().metadata.deletionTimestamp !== undefined,
      })
      .uses(AlertChannel, ['update'], { subresource: 'status' })
      .reconcile(async (channel, context) => await delivery.next(channel, context))
  );
}
