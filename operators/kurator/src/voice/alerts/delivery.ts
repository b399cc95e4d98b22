/**
 * Empties a channel's outbox, the oldest alert first. Called whenever the channel changes, and again until nothing waits;
 * one channel's trouble never keeps another's alerts.
 */
import { type AuthorContext, type AuthorResult, Node, type Operator, parseDuration } from '@kurator/sdk';
import { Reach } from '../../access/reach.ts';
import { AlertChannel } from '../../resources/alert-channel.ts';
import { Kurator } from '../../resources/kurator.ts';
import type { Alert } from './alert.ts';
import type { Others } from './alerting.ts';
import { digestDueAt, withDigests } from './digest.ts';
import { arrived, givenUp, inTrouble, outboxOf, type Waiting } from './outbox.ts';
import { type Change, Outboxes } from './outboxes.ts';
import { noPatience, type Patience, Patiences } from './patience.ts';
import { SinkError } from './sinks/sink.ts';
import { openSink } from './sinks/sinks.ts';
import { openThreads, originOf, withdrawn } from './withdrawn.ts';

/** What a delivery needs of what a reconcile is given. */
export type DeliveryContext = Pick<AuthorContext, 'client' | 'event' | 'get' | 'list' | 'log' | 'signal' | 'dryRun'>;

/** How a delivery waits; everything has a default. */
export interface DeliveryOptions {
  readonly now?: () => number;
  /** From 0 up to 1: spreads the waiting. */
  readonly random?: () => number;
  /** Milliseconds after the first failure; twice as long after each further one. 1 s unless given. */
  readonly firstPause?: number;
  /** Milliseconds between two tries at most; a minute unless given. */
  readonly longestPause?: number;
  /** How often a sink may say that an alert itself is wrong before it is given up; 8 times unless given. */
  readonly refusals?: number;
  /** What may be talked to, by what is known of the cluster; nothing on this machine or on the link unless given. */
  readonly reach?: (context: DeliveryContext) => Reach | Promise<Reach>;
  /** How all components but the one of that name do; nothing unless given. */
  readonly others?: (service: string, context: DeliveryContext) => Others;
  /** Told of each try, for whoever counts. */
  readonly onTry?: (channel: AlertChannel, outcome: 'delivered' | 'failed' | 'givenUp') => void;
}

const MINUTE = 60_000;
const closed = new Reach();

/** Delivers for all channels of an operator. */
export class Delivery {
  readonly #patiences = new Patiences();
  readonly #outboxes = new WeakMap<DeliveryContext['client'], Outboxes>();
  readonly #options: Required<DeliveryOptions>;

  constructor(options: DeliveryOptions = {}) {
    const times = { now: Date.now, random: Math.random, firstPause: 1000, longestPause: MINUTE };
    const defaults = { ...times, refusals: 8, reach: () => closed, others: () => [], onTry: () => {} };
    this.#options = { ...defaults, ...options };
  }

  /** Sends the oldest alert, if there is one and it is time. */
  async next(cached: AlertChannel, context: DeliveryContext): Promise<AuthorResult<AlertChannel>> {
    const { now } = this.#options;
    if (context.dryRun) return {};
    // Whoever has just made a channel wants to see that somebody looks after it.
    if (!cached.status) await this.#change(cached, context, (outbox) => ({ ...outbox }));
    const outbox = outboxOf(cached);
    await this.#withdraw(cached, openThreads(outbox), context);
    const digestAt = digestDueAt(outbox) ?? Number.POSITIVE_INFINITY;
    if (outbox.waiting.length === 0 && digestAt === Number.POSITIVE_INFINITY) return {};
    const patience = this.#patiences.of(cached);
    const wait = Math.max(patience.notBefore, outbox.waiting.length > 0 ? 0 : digestAt) - now();
    if (wait > 0) return { requeueAfter: Math.ceil(wait) };
    if (digestAt <= now()) await this.#change(cached, context, (box, found) => withDigests(box, found, this.#stamp()));
    // The cache may not have heard yet of what we took out: it would be sent again.
    const channel = await context.client.find(AlertChannel, cached.metadata, { signal: context.signal });
    const oldest = channel && outboxOf(channel).waiting[0];
    if (!oldest || channel.metadata.deletionTimestamp) return {};
    if (patience.sent === oldest.alert.id) return await this.#mark(channel, oldest.alert, context);
    try {
      const tools = { now, reach: await this.#options.reach(context) };
      await openSink(channel, context, tools).then((send) => send(oldest.alert));
    } catch (error) {
      context.signal.throwIfAborted();
      return await this.#failed(channel, oldest, error, patience, context);
    }
    this.#options.onTry(channel, 'delivered');
    // Should the mark fail, the alert is not sent again for it.
    this.#patiences.set(channel, { ...noPatience, sent: oldest.alert.id });
    return await this.#mark(channel, oldest.alert, context);
  }

  /** Ends what is open for Kurators that are gone. The server has the last word: another's cache may be ahead of ours. */
  async #withdraw(channel: AlertChannel, open: readonly string[], context: DeliveryContext): Promise<void> {
    const { client, get, signal } = context;
    const isOf = (thread: string, kurator: Kurator | undefined) =>
      kurator?.metadata.uid?.startsWith(originOf(thread).uid) && !kurator.metadata.deletionTimestamp;
    const missing = open.filter((thread) => !isOf(thread, get(Kurator, originOf(thread))));
    if (missing.length === 0) return;
    const gone: string[] = [];
    for (const thread of missing) {
      if (!isOf(thread, await client.find(Kurator, originOf(thread), { signal }))) gone.push(thread);
    }
    if (gone.length === 0) return;
    const others = (service: string) => this.#options.others(service, context);
    await this.#change(channel, context, (box, found) => withdrawn(box, found, gone, this.#stamp(), others));
  }

  #stamp(): string {
    return new Date(this.#options.now()).toISOString();
  }

  async #mark(channel: AlertChannel, { id }: Alert, context: DeliveryContext): Promise<AuthorResult<AlertChannel>> {
    const { now } = this.#options;
    const pause = Math.ceil(MINUTE / channel.spec.ratePerMinute);
    await this.#change(channel, context, (outbox) => arrived(outbox, id, this.#stamp()));
    this.#patiences.set(channel, { ...noPatience, sent: id, notBefore: now() + pause });
    return { requeueAfter: pause };
  }

  async #failed(
    channel: AlertChannel,
    { alert, since }: Waiting,
    error: unknown,
    before: Patience,
    context: DeliveryContext,
  ): Promise<AuthorResult<AlertChannel>> {
    const { now, random, firstPause, longestPause } = this.#options;
    const trouble = error instanceof SinkError ? error : new SinkError('the alert could not be sent');
    const refusals = trouble.isAboutAlert ? before.refusals + 1 : before.refusals;
    context.log.warn('an alert could not be delivered', {
      alert: alert.id,
      why: trouble.message,
      ...(trouble.detail && { detail: trouble.detail }),
    });
    const isTooOld = now() - Date.parse(since) > parseDuration(channel.spec.retryFor);
    if (isTooOld || refusals >= this.#options.refusals)
      return await this.#giveUp(channel, alert, trouble.message, context);
    this.#options.onTry(channel, 'failed');
    const backoff = Math.min(longestPause, firstPause * 2 ** before.failures) * (0.5 + random() / 2);
    const pause = Math.ceil(Math.max(backoff, trouble.retryAfter ?? 0));
    this.#patiences.set(channel, {
      failures: before.failures + 1,
      refusals,
      notBefore: now() + pause,
    });
    await this.#change(channel, context, (outbox) => inTrouble(outbox, trouble.message));
    return { requeueAfter: pause };
  }

  async #giveUp(
    channel: AlertChannel,
    { id }: Alert,
    why: string,
    context: DeliveryContext,
  ): Promise<AuthorResult<AlertChannel>> {
    const error = `${id} was given up: ${why}`;
    this.#options.onTry(channel, 'givenUp');
    await this.#change(channel, context, (outbox) => givenUp(outbox, id, error));
    this.#patiences.set(channel, noPatience);
    context.event('Warning', 'AlertGivenUp', error, { action: 'Deliver' });
    return { requeueAfter: 0 };
  }

  async #change({ metadata }: AlertChannel, { client }: DeliveryContext, change: Change): Promise<void> {
    const known = this.#outboxes.get(client) ?? new Outboxes(client);
    this.#outboxes.set(client, known);
    await known.change(metadata, (outbox, found) =>
      found.metadata.uid === metadata.uid ? change(outbox, found) : outbox,
    );
  }
}

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
