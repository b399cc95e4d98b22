/** What the operator asks of etcd. Numbers of 64 bits that are names are kept as texts. */
import type { Credentials, Target } from './grpc.ts';
import type { Draft, Message, Shape } from './protobuf.ts';
import { type Call, invoke, rpc } from './rpc.ts';

export { type Credentials, EtcdError } from './grpc.ts';

/** Where a member is. */
export interface Endpoint {
  /** The IP address of its pod. */
  readonly address: string;
  /** The name in its certificate. */
  readonly serverName: string;
  /** 2379 unless given. */
  readonly port?: number;
}

/** One entry of etcd's list. */
export interface EtcdMember {
  readonly id: string;
  readonly peerUrls: readonly string[];
  readonly isLearner: boolean;
}

/** What a member says of itself. */
export interface EtcdStatus {
  readonly clusterId: string;
  readonly memberId: string;
  /** Undefined while it knows none. */
  readonly leader: string | undefined;
  readonly version: string;
  readonly dbSize: number;
  /** What of that holds keys; the rest is free, and goes when it is defragmented. */
  readonly dbSizeInUse: number;
  /** Of the keys, as this member has them. */
  readonly revision: number;
  readonly isLearner: boolean;
  /** Why etcd refuses to serve. The list of alarms says it as well, and each question of it is an entry in the log of all members. */
  readonly alarms: readonly RaisedAlarm[];
}

/** What makes etcd refuse to serve, and whom it is about. */
export interface RaisedAlarm {
  readonly memberId: string;
  /** NOSPACE or CORRUPT. */
  readonly alarm: string;
}

/** Where members answer clients. */
export const CLIENT_PORT = 2379;
/** What is done to a whole database takes as long as its disk does; a reconcile has a minute. */
const PATIENCE_WITH_DISKS = 50_000;
const PATIENCE = 3_000;
const GET = 0;
const DEACTIVATE = 2;
/** By their numbers. */
const ALARMS = ['NONE', 'NOSPACE', 'CORRUPT'];

/** One cluster, as seen with these credentials. */
export class EtcdClient {
  readonly #credentials: Credentials;

  constructor(credentials: Credentials) {
    this.#credentials = credentials;
  }

  async status(endpoint: Endpoint, signal?: AbortSignal): Promise<EtcdStatus> {
    const { header, errors, leader, ...rest } = await this.ask(endpoint, rpc.status, {}, signal);
    const { clusterId, memberId, revision } = header;
    const known = leader === '0' ? undefined : leader;
    return { ...rest, clusterId, memberId, leader: known, revision, alarms: errors.flatMap(alarmIn) };
  }

  /** As quorum has it, not as this member remembers it. */
  async members(endpoint: Endpoint, signal?: AbortSignal): Promise<readonly EtcdMember[]> {
    return (await this.ask(endpoint, rpc.members, { linearizable: true }, signal)).members;
  }

  async addLearner(endpoint: Endpoint, peerUrl: string, signal?: AbortSignal): Promise<void> {
    await this.ask(endpoint, rpc.addMember, { peerUrls: [peerUrl], isLearner: true }, signal);
  }

  async promote(endpoint: Endpoint, id: string, signal?: AbortSignal): Promise<void> {
    await this.ask(endpoint, rpc.promoteMember, { id }, signal);
  }

  async remove(endpoint: Endpoint, id: string, signal?: AbortSignal): Promise<void> {
    await this.ask(endpoint, rpc.removeMember, { id }, signal);
  }

  /**
   * Throws unless quorum agrees to a write. A lease that ends again goes through the log as a key does, and is refused as a key is where
   * the database is full; and it leaves no key, no revision, and no watcher is told.
   */
  async proveWrites(endpoint: Endpoint, signal?: AbortSignal): Promise<void> {
    const { id } = await this.ask(endpoint, rpc.grantLease, { seconds: 60 }, signal);
    await this.ask(endpoint, rpc.revokeLease, { id }, signal);
  }

  /** Puts these alarms out; members that have reason to raise them again. */
  async disarm(endpoint: Endpoint, alarm: string, signal?: AbortSignal): Promise<void> {
    const number = ALARMS.indexOf(alarm);
    const { alarms } = await this.ask(endpoint, rpc.alarm, { action: GET }, signal);
    for (const raised of alarms) {
      if (raised.alarm !== number) continue;
      const { memberId } = raised;
      await this.ask(endpoint, rpc.alarm, { action: DEACTIVATE, memberId, alarm: number }, signal);
    }
  }

  /** Forgets what keys were before this revision. Resolves when the room is free within the database. */
  async compact(endpoint: Endpoint, revision: number, signal?: AbortSignal): Promise<void> {
    await this.ask(endpoint, rpc.compact, { revision, physical: true }, signal, PATIENCE_WITH_DISKS);
  }

  /** The member writes its database anew, without what is free, and answers nobody until it is done. */
  async defragment(endpoint: Endpoint, signal?: AbortSignal): Promise<void> {
    await this.ask(endpoint, rpc.defragment, {}, signal, PATIENCE_WITH_DISKS);
  }

  /** The endpoint must be the leader's. */
  async moveLeader(endpoint: Endpoint, target: string, signal?: AbortSignal): Promise<void> {
    await this.ask(endpoint, rpc.moveLeader, { target }, signal);
  }

  /** Whatever else rpc.ts has. */
  async ask<Q extends Shape, A extends Shape>(
    { address: host, serverName, port = CLIENT_PORT }: Endpoint,
    call: Call<Q, A>,
    draft: Draft<Q>,
    given?: AbortSignal,
    timeout = PATIENCE,
  ): Promise<Message<A>> {
    const patience = AbortSignal.timeout(timeout);
    const signal = given ? AbortSignal.any([given, patience]) : patience;
    const target: Target = { host, port, serverName, credentials: this.#credentials };
    return await invoke(target, call, draft, signal);
  }
}

/** As a status has it: `memberID:123 alarm:NOSPACE`, with as many spaces as it likes, and without an id where it is about nobody. */
function alarmIn(text: string): RaisedAlarm[] {
  const alarm = /alarm:\s*([A-Z]+)/.exec(text)?.[1];
  const id = /memberID:\s*(\d+)/.exec(text)?.[1] ?? '0';
  return alarm ? [{ memberId: BigInt(id).toString(16), alarm }] : [];
}
