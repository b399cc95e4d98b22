/** A cluster with the healer in it as its users run it, and people who are told: what every story of healing begins with. */
import { AlertChannel, Incident, Kurator, optionalRoles } from '@kurator/operator-kurator';
import { type Client, Deployment, Lease, Pod, StatefulSet, waitFor } from '@kurator/sdk';
import { type Cluster, type ClusterOptions, createCluster, eventually } from '@kurator/testenv';
import { expect } from 'vitest';
import { HttpSink } from '../../../operators/kurator/test/support/alerting/http-sink.ts';
import { kubectl, patiently } from '../kubectl.ts';
import { type AuditedRequest, requestsOf } from './audit.ts';
import { expectLogged, expectUntouched, expectWell, expectWithinRoles, type Held, type Remembered } from './ending.ts';
import { type HealerOptions, runHealer } from './run-healer.ts';
import { type Shape, service, type WorkloadKind, workload } from './services.ts';
import { appOf, Witness } from './witness.ts';

/** An alert as a webhook receives it, as far as stories read it. */
export interface ReceivedAlert {
  readonly id: string;
  readonly service: string;
  readonly incident: string;
  readonly stage: string;
  readonly severity: string;
  readonly status: string;
  readonly title: string;
  readonly lines: readonly string[];
}

/** Fields of a Kurator, as a person writes them. */
export interface KuratorFields {
  readonly recovery?: object;
  readonly [field: string]: unknown;
}

/** What may differ from one story's cluster to the next's. */
export interface WorldOptions
  extends Pick<ClusterOptions, 'nodes' | 'fastFailureDetection'>,
    Pick<HealerOptions, 'entry' | 'rules'> {}

const namespace = 'default';
const patience = 200_000;
/** The shortest that are honest: what is seen at one look is not believed, and a slow machine is no fault. */
const quickCheck = { http: {}, period: '1s', timeout: '1s', failAfter: 3 };

export class HealerWorld implements AsyncDisposable {
  readonly cluster: Cluster;
  readonly client: Client;
  readonly sink: HttpSink;
  /** This machine, as the cluster's pods reach it. */
  readonly host: string;
  /** What the watches have shown since the world was opened. */
  readonly witness: Witness;
  #remembered: Remembered[] = [];

  private constructor(cluster: Cluster, client: Client, sink: HttpSink, host: string, witness: Witness) {
    this.cluster = cluster;
    this.client = client;
    this.sink = sink;
    this.host = host;
    this.witness = witness;
  }

  /** @param replicas Of the operator. */
  static async open(name: string, replicas = 1, options: WorldOptions = {}): Promise<HealerWorld> {
    const { nodes = 3, fastFailureDetection = false, ...healer } = options;
    const { cluster } = await createCluster({ name, nodes, audit: true, fastFailureDetection });
    const client = await cluster.client();
    await runHealer(cluster, client, { replicas, rules: optionalRoles.metrics, ...healer });
    const { host = '127.0.0.1' } = await cluster.status();
    const sink = await HttpSink.open(host);
    await client.create(AlertChannel, {
      metadata: { name: 'people', namespace },
      spec: { webhook: { url: sink.url }, default: true, ratePerMinute: 600 },
    } as never);
    return new HealerWorld(cluster, client, sink, host, await Witness.open(client, namespace));
  }

  /** A workload that somebody else made, and a Kurator that adopts it. */
  async adopt(kind: WorkloadKind, name: string, spec: KuratorFields = {}, shape: Shape = {}): Promise<void> {
    const { serviceName, podManagementPolicy, ...common } = workload(name, shape).spec;
    const { metadata } = workload(name, shape);
    if (kind === 'Deployment') await this.client.create(Deployment, { metadata, spec: common });
    else
      await this.client.create(StatefulSet, {
        metadata,
        spec: { ...common, serviceName, podManagementPolicy },
      } as never);
    await this.kurator(name, { targetRef: { kind, name }, ...spec });
  }

  /** A Kurator that makes its service itself. Called again it describes it anew. */
  async own(kind: WorkloadKind, name: string, spec: KuratorFields = {}, shape: Shape = {}): Promise<void> {
    await this.kurator(name, { service: service(kind, shape), ...spec });
  }

  /** Applied as a person would; quick, and loud, unless the story says otherwise. */
  async kurator(name: string, spec: KuratorFields): Promise<void> {
    const recovery = { stability: '3s', provenAfter: '2s', coolDown: '1s', ...spec.recovery };
    const alerts = { groupWait: '0s', burst: 100 };
    const manifest = {
      apiVersion: 'kurator.sh/v1alpha1',
      kind: 'Kurator',
      metadata: { name },
      spec: { checks: [quickCheck], alerts, ...spec, recovery },
    };
    await kubectl(this.cluster, ['apply', '-f', '-'], JSON.stringify(manifest));
  }

  /** Instances that are not on their way out, by name. */
  async pods(name: string): Promise<Pod[]> {
    const { items } = await this.client.list(Pod, { namespace });
    const own = items.filter((pod) => appOf(pod) === name && !pod.metadata.deletionTimestamp);
    return own.toSorted((a, b) => a.metadata.name.localeCompare(b.metadata.name));
  }

  /** One that something is to happen to, and those that nothing may happen to. */
  async illAndWell(name: string): Promise<{ ill: Pod; well: Pod[] }> {
    const [ill, ...well] = await this.pods(name);
    if (!ill) throw new Error(`${name} has no pods`);
    return { ill, well };
  }

  async operatorPods(): Promise<Pod[]> {
    return (await this.client.list(Pod, { namespace: 'kurator' })).items;
  }

  /** The one of the operator's pods that may act now. */
  async leader(): Promise<Pod> {
    const { spec } = await this.client.get(Lease, { name: 'kurator', namespace: 'kurator' });
    const holder = spec?.holderIdentity?.split('_')[0];
    const pods = await this.operatorPods();
    const leader = pods.find(({ metadata }) => metadata.name === holder);
    if (!leader) throw new Error(`the lease is held by ${holder}, which is none of the pods`);
    return leader;
  }

  async status(name: string): Promise<NonNullable<Kurator['status']>> {
    return (await this.client.get(Kurator, { name, namespace })).status ?? {};
  }

  /** Well, all of its instances, and no incident is open. */
  async untilHealthy(name: string, timeout = patience): Promise<Kurator> {
    return await waitFor(
      this.client,
      Kurator,
      { name, namespace },
      ({ status }) => status?.health === 'Healthy' && status.healthyInstances === status.desiredInstances,
      { description: 'to be healthy', timeout },
    );
  }

  /** The revision that runs was seen healthy for long enough to be gone back to. */
  async untilProven(name: string): Promise<void> {
    await eventually(
      async () => {
        const { memory } = await this.status(name);
        expect(memory).toMatchObject({ history: { revisions: { healthy: [expect.any(String)] } } });
      },
      { ...patiently, timeout: patience },
    );
  }

  /** @param timeout For a story in which much has to happen until then. */
  async untilStage(incident: string, stage: string, timeout = patience): Promise<NonNullable<Incident['status']>> {
    return await eventually(
      async () => {
        const { status } = await this.client.get(Incident, { name: incident, namespace });
        expect(status?.stage, `${incident}: ${status?.summary}`).toBe(stage);
        return status ?? {};
      },
      { ...patiently, timeout },
    );
  }

  /** A step is being taken, or is being judged. */
  async untilRepairing(incident: string): Promise<void> {
    await eventually(
      async () => {
        const { status } = await this.client.get(Incident, { name: incident, namespace });
        expect(['repairing', 'verifying'], `${incident}: ${status?.summary}`).toContain(status?.stage);
      },
      { ...patiently, timeout: patience },
    );
  }

  /** The names of a service's Incidents. */
  async incidentsOf(service: string): Promise<string[]> {
    const { items } = await this.client.list(Incident, { namespace });
    return items.filter(({ spec }) => spec.service === service).map(({ metadata }) => metadata.name);
  }

  /** What people were told of a service, in order. */
  alertsOf(service: string): ReceivedAlert[] {
    const alerts = this.sink.taken.map(({ body }) => JSON.parse(body) as ReceivedAlert);
    return alerts.filter((alert) => alert.service === service);
  }

  /** Every change of stage that the Incident records was told, once; and nothing else. */
  async expectTold(service: string, incident: string): Promise<void> {
    const stages = (await this.untilStage(incident, 'closed')).stages ?? [];
    await eventually(async () => {
      const alerts = this.alertsOf(service).filter((alert) => alert.incident === incident);
      const lines = alerts.flatMap((alert) => alert.lines);
      for (const { stage, reason } of stages) {
        const wanted = stages.filter((one) => one.reason === reason).length;
        const told = lines.filter(
          (line) => line.endsWith(`: ${reason}`) && !line.slice(0, -reason.length - 2).includes(':'),
        );
        expect(told.length, `${stage} (${reason}) in ${JSON.stringify(lines, undefined, 1)}`).toBe(wanted);
      }
      expect(new Set(alerts.map(({ id }) => id)).size).toBe(alerts.length);
      expect(alerts.at(-1)).toMatchObject({ stage: 'recovered', severity: 'resolved', status: 'resolved' });
    }, patiently);
  }

  /** Every time that the operator has taken a pod away, as the API server's own log has it. */
  async evictionsOf(pod: Pod): Promise<AuditedRequest[]> {
    const requests = await requestsOf(this.cluster, 'kurator', 'kurator');
    return requests.filter(
      ({ verb, requestURI, responseStatus }) =>
        verb === 'create' &&
        requestURI.includes(`/pods/${pod.metadata.name}/eviction`) &&
        (responseStatus?.code ?? 500) < 300,
    );
  }

  /** Every time that the operator has changed a workload itself, its status and its scale not counted. */
  async changesOf(plural: 'deployments' | 'statefulsets', name: string): Promise<AuditedRequest[]> {
    const requests = await requestsOf(this.cluster, 'kurator', 'kurator');
    return requests.filter(
      ({ verb, requestURI, responseStatus }) =>
        ['patch', 'update'].includes(verb) &&
        new RegExp(`/${plural}/${name}(\\?|$)`).test(requestURI) &&
        (responseStatus?.code ?? 500) < 300,
    );
  }

  /** Keeps in mind which pods there are, the operator's too: call it when all is well, before anything is done to them. */
  async remember(): Promise<void> {
    const { items } = await this.client.list(Pod);
    this.#remembered = items.map((pod) => ({ pod, service: appOf(pod) }));
  }

  /** The pods that a service had then, by name. */
  remembered(service: string): Pod[] {
    const own = this.#remembered.filter((one) => one.service === service).map(({ pod }) => pod);
    return own.toSorted((a, b) => a.metadata.name.localeCompare(b.metadata.name));
  }

  /**
   * What every story ends with, after {@link remember} at its beginning: the fault is gone; nothing healthy was touched;
   * the log of each Incident holds every transition, in a legal order; the audit log shows no request beyond the
   * operator's roles. What the story itself meant to happen is said by `held`.
   */
  async expectHeld(held: Held = {}): Promise<void> {
    if (this.#remembered.length === 0) throw new Error('nothing was remembered: call remember() when all is well');
    const { client, witness } = this;
    await eventually(() => expectWell({ client, namespace }, held), { ...patiently, timeout: patience });
    const requests = await requestsOf(this.cluster, 'kurator', 'kurator');
    const scene = { client, namespace, witness, remembered: this.#remembered, requests };
    await expectUntouched(scene, held);
    await expectLogged(scene);
    expectWithinRoles(requests);
  }

  /** The operator asked for nothing that its roles don't give it. */
  async expectWithinRoles(): Promise<void> {
    expectWithinRoles(await requestsOf(this.cluster, 'kurator', 'kurator'));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.witness[Symbol.asyncDispose]();
    await this.client.close();
    await this.cluster.down();
    await this.sink[Symbol.asyncDispose]();
  }
}

/** The cause of a hang: once as many wait as may, the port of one that hangs takes nobody any more. */
export const hung: unknown = expect.stringMatching(/^(hang|unreachable)$/);

/** What tells an instance from the one that follows it under the same name. */
export function uids(pods: readonly Pod[]): string[] {
  return pods.map(({ metadata }) => metadata.uid ?? '').toSorted();
}

/** Container restarts of all of them together. */
export function restarts(pods: readonly Pod[]): number {
  return pods.flatMap(({ status }) => status?.containerStatuses ?? []).reduce((sum, one) => sum + one.restartCount, 0);
}
