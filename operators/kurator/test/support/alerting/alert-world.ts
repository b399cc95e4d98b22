/** A namespace with channels, somebody who tells, and an operator that delivers. */
import { type Client, installCrds, type ObjectOf, operator, Secret } from '@kurator/sdk';
import { type TestScope, testScope } from '@kurator/testenv';
import { Reach } from '../../../src/access/reach.ts';
import type { Notification } from '../../../src/brain/alerts/notification.ts';
import { AlertChannel } from '../../../src/resources/alert-channel.ts';
import { Incident } from '../../../src/resources/incident.ts';
import { Kurator } from '../../../src/resources/kurator.ts';
import { KuratorSwitch } from '../../../src/resources/kurator-switch.ts';
import { Delivery, type DeliveryOptions, withAlertChannels } from '../../../src/voice/alerts/delivery.ts';
import { createAlerting } from '../../../src/voice/alerts/tell-channels.ts';
import { aNotification, anIncident } from './an-alert.ts';

type ChannelSpec = Partial<ObjectOf<typeof AlertChannel>['spec']>;

/** An Event as alerting asks for it. */
export interface ToldEvent {
  readonly type: string;
  readonly reason: string;
  readonly message: string;
}

/** Where the sinks of tests are. */
const here = new Reach({ allow: ['127.0.0.0/8'] });

export class AlertWorld implements AsyncDisposable {
  readonly scope: TestScope;
  readonly channels: AlertChannel[] = [];
  readonly events: ToldEvent[] = [];
  /** The clock of whoever tells. */
  now: () => number = Date.now;
  /** What all services of this world name. */
  readonly named: string[] = [];
  /** By name. */
  readonly #kurators = new Map<string, Promise<Kurator>>();
  #origin = '';

  private constructor(scope: TestScope) {
    this.scope = scope;
  }

  static async open(): Promise<AlertWorld> {
    const scope = await testScope('alerts');
    await installCrds(scope.client, [Kurator, Incident, AlertChannel, KuratorSwitch]);
    const world = new AlertWorld(scope);
    world.#origin = ((await world.kurator('web')).metadata.uid ?? '').slice(0, 8);
    return world;
  }

  get client(): Client {
    return this.scope.client;
  }

  async channel(name: string, spec: ChannelSpec): Promise<void> {
    const { client, scope } = this;
    const metadata = { name, namespace: scope.namespace };
    const full = { ratePerMinute: 600, default: true, ...spec } as AlertChannel['spec'];
    this.channels.push(await client.create(AlertChannel, { metadata, spec: full }));
  }

  async secret(name: string, stringData: Record<string, string>): Promise<void> {
    const data = Object.fromEntries(
      Object.entries(stringData).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
    );
    await this.client.create(Secret, { metadata: { name, namespace: this.scope.namespace }, data });
  }

  /** Starts an operator that delivers, in this process, with little patience. */
  async deliver({ client = this.client, ...options }: DeliveryOptions & { client?: Client } = {}): Promise<void> {
    const delivery = new Delivery({ reach: () => here, ...options, firstPause: 50, longestPause: 300, refusals: 3 });
    await this.scope.start(withAlertChannels(operator({ name: 'kurator' }), delivery), {
      client,
      leaderElection: false,
    });
  }

  /** Whom alerts are about; nobody looks after it here. */
  kurator(name: string): Promise<Kurator> {
    const metadata = { name, namespace: this.scope.namespace };
    const spec = { targetRef: { kind: 'Deployment', name } } as Kurator['spec'];
    const known = this.#kurators.get(name) ?? this.client.create(Kurator, { metadata, spec });
    this.#kurators.set(name, known);
    return known;
  }

  /** Tells of something that happened to `web`, or another service, as the healer does. */
  async tell(number: number, differences: Partial<Notification> = {}, name = 'web'): Promise<readonly string[]> {
    const { namespace } = this.scope;
    const alerting = createAlerting({ client: this.client, channels: () => this.channels, now: this.now });
    const { metadata } = await this.kurator(name);
    const kurator = { metadata, spec: { alerts: { channels: this.named } } } as unknown as Kurator;
    const id = `${namespace}/${name}#1`;
    const notification = aNotification({
      id: `${id}/${number}`,
      incident: id,
      group: id,
      at: Date.now(),
      ...differences,
    });
    const event = (type: string, reason: string, message: string) => void this.events.push({ type, reason, message });
    const incident = anIncident({ id, startedAt: Date.now() - 1000 });
    return await alerting.tell(kurator, incident, [notification], [{ name: 'db', state: 'down' }], event);
  }

  /** The id that the alert has where it arrives. */
  id(number: number): string {
    return `${this.#origin}/${this.scope.namespace}/web#1/${number}`;
  }

  async status(name: string): Promise<NonNullable<AlertChannel['status']>> {
    const { status = {} } = await this.client.get(AlertChannel, { name, namespace: this.scope.namespace });
    return status as NonNullable<AlertChannel['status']>;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.scope.end();
  }
}
