/** Faults as the users of a cluster make them: one method a kind, each with a handle that heals. */
import { TestenvError } from '../error.ts';
import type { FaultRecord } from './fault-record.ts';
import type { FaultKindName, FaultRequest, RequestOf } from './fault-request.ts';
import type { AddressEndpoint, Endpoint, NodeEndpoint, OneOrMore, PodEndpoint } from './requests/endpoint.ts';

/** A pod as a client or a manifest has it. */
export interface PodObject {
  readonly metadata: { readonly name?: string | undefined; readonly namespace?: string | undefined };
}

/** Who sends or receives packets; a pod may be given as the object that it is. */
export type EndpointLike = PodObject | Endpoint;

/** A request without its kind, in which a pod may be given by its name or as an object. */
export type FaultOptions<K extends FaultKindName> = Loose<Omit<RequestOf<K>, 'kind'>>;

type Loose<R> = {
  [F in keyof R]: F extends 'pod' ? R[F] | PodObject : F extends EndpointField ? LooseEndpoint<R[F]> : R[F];
};
type EndpointField = 'from' | 'to' | 'except';
type LooseEndpoint<V> = V extends readonly (infer E)[]
  ? readonly LooseEndpoint<E>[]
  : V extends PodEndpoint
    ? V | PodObject
    : V;

/** A fault that can be undone. Disposing of it heals it: `await using fault = await cluster.faults.freeze({ pod })`. */
export interface FaultHandle extends FaultRecord, AsyncDisposable {
  /** Undoes the fault; does nothing where it is healed already, or where its target or the whole cluster is gone. */
  heal(): Promise<void>;
}

/** The faults of one cluster. */
export interface Faults {
  /** Sends a signal to a container's process: see {@link KillRequest}. */
  kill(options: FaultOptions<'kill'>): Promise<FaultHandle>;
  /** Stops a container's processes; healing lets them go on: see {@link FreezeRequest}. */
  freeze(options: FaultOptions<'freeze'>): Promise<FaultHandle>;
  /** Loses packets: see {@link DropRequest}. */
  drop(options: FaultOptions<'drop'>): Promise<FaultHandle>;
  /** Cuts the network into groups of machines: see {@link PartitionRequest}. */
  partition(options: FaultOptions<'partition'>): Promise<FaultHandle>;
  /** Pulls a machine's network cable. */
  unplug(options: FaultOptions<'unplug'>): Promise<FaultHandle>;
  /** Refuses connections to a port: see {@link RefuseRequest}. */
  refuse(options: FaultOptions<'refuse'>): Promise<FaultHandle>;
  /** Lets connections to a port wait: see {@link DelayRequest}. */
  delay(options: FaultOptions<'delay'>): Promise<FaultHandle>;
  /** Fills a volume: see {@link FillRequest}. */
  fill(options: FaultOptions<'fill'>): Promise<FaultHandle>;
  /** Keeps processor cores busy inside a container's limits. */
  burnCpu(options: FaultOptions<'burn-cpu'>): Promise<FaultHandle>;
  /** Holds memory inside a container's limits: see {@link BurnMemoryRequest}. */
  burnMemory(options: FaultOptions<'burn-memory'>): Promise<FaultHandle>;
  /** Stops a program of the cluster: see {@link StopRequest}. */
  stop(options: FaultOptions<'stop'>): Promise<FaultHandle>;
  /** Freezes a program of the cluster: see {@link HangRequest}. */
  hang(options: FaultOptions<'hang'>): Promise<FaultHandle>;
  /** Cuts a machine's power: see {@link PowerOffRequest}. */
  powerOff(options: FaultOptions<'power-off'>): Promise<FaultHandle>;

  /** Makes a fault from a plain request, whatever its kind. */
  inject(request: FaultRequest): Promise<FaultHandle>;
  /** What there is to heal, oldest first, whoever began it. */
  list(): Promise<FaultRecord[]>;
  /** Undoes a fault by its id; one that is not there is healed. */
  heal(id: string): Promise<void>;
  /** Undoes every fault there is. */
  healAll(): Promise<void>;
}

/** How a cluster's supervisor is asked. */
export type Ask = <T>(method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown) => Promise<T>;

/** The faults of the cluster whose supervisor `ask` speaks to. */
export function createFaults(ask: Ask): Faults {
  async function heal(path: string): Promise<void> {
    await ask('DELETE', path).catch((error: unknown) => {
      // A cluster that is gone has no faults.
      if (!(error instanceof TestenvError && error.code === 'KUR_TESTENV_NOT_RUNNING')) throw error;
    });
  }

  async function inject(request: FaultRequest): Promise<FaultHandle> {
    const record = await ask<FaultRecord>('POST', 'faults', request);
    const healThis = () => heal(`faults/${encodeURIComponent(record.id)}`);
    return { ...record, heal: healThis, [Symbol.asyncDispose]: healThis };
  }

  const maker =
    <K extends FaultKindName>(kind: K) =>
    (options: FaultOptions<K>) =>
      inject({ kind, ...strict(options) } as unknown as FaultRequest);

  return {
    kill: maker('kill'),
    freeze: maker('freeze'),
    drop: maker('drop'),
    partition: maker('partition'),
    unplug: maker('unplug'),
    refuse: maker('refuse'),
    delay: maker('delay'),
    fill: maker('fill'),
    burnCpu: maker('burn-cpu'),
    burnMemory: maker('burn-memory'),
    stop: maker('stop'),
    hang: maker('hang'),
    powerOff: maker('power-off'),
    inject,
    list: () => ask('GET', 'faults'),
    heal: (id) => heal(`faults/${encodeURIComponent(id)}`),
    healAll: () => heal('faults'),
  };
}

/** Replaces pods that are given as objects by their names; the supervisor checks the rest. */
function strict(options: object): object {
  const { pod, ...rest } = options as { pod?: string | PodObject };
  const named = typeof pod === 'object' ? podEndpoint(pod) : pod === undefined ? {} : { pod };
  const ends = (['from', 'to', 'except'] as const).flatMap((field) => {
    const value = (rest as Record<string, OneOrMore<EndpointLike> | undefined>)[field];
    return value === undefined
      ? []
      : [[field, Array.isArray(value) ? value.map(toEndpoint) : toEndpoint(value as EndpointLike)]];
  });
  return { ...rest, ...named, ...Object.fromEntries(ends) };
}

function toEndpoint(value: EndpointLike): PodEndpoint | NodeEndpoint | AddressEndpoint {
  return 'metadata' in value ? podEndpoint(value) : value;
}

function podEndpoint({ metadata: { name = '', namespace } }: PodObject): PodEndpoint {
  return { pod: name, ...(namespace === undefined ? {} : { namespace }) };
}
