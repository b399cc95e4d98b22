/**
 * What the operator asks of etcd, by the JSON gateway that every member serves beside gRPC: no client library, and no protocol of its own.
 * Numbers of 64 bits come as text, and stay so: an id is a name.
 */
import { request } from 'node:https';
import { textOf } from './answer.ts';

/** Who asks, and whom he believes. */
export interface Credentials {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/** Where a member is. */
export interface Endpoint {
  /** The IP address of its pod. */
  readonly address: string;
  /** The name in its certificate. */
  readonly serverName: string;
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
  readonly revision: string;
  readonly isLearner: boolean;
  /** Whether writes are refused because a database was full. */
  readonly noSpace: boolean;
}

/** What makes etcd refuse to serve, and whom it is about. */
export interface RaisedAlarm {
  readonly memberId: string;
  /** NOSPACE or CORRUPT. */
  readonly alarm: string;
}

/** etcd refused, or gave no answer. */
export class EtcdError extends Error {
  /** As gRPC counts them; undefined where there was no answer. */
  readonly code: number | undefined;

  constructor(message: string, code?: number, options?: ErrorOptions) {
    super(message, options);
    this.name = 'EtcdError';
    this.code = code;
  }
}

/** Where members answer clients. */
export const CLIENT_PORT = 2379;
/** What is done to a whole database takes as long as its disk does; a reconcile has a minute. */
const PATIENCE_WITH_DISKS = 50_000;
/** An answer of a cluster's list or of a status; anything longer is none. */
const LONGEST_ANSWER = 1_048_576;

/** One cluster, as seen with these credentials. */
export class EtcdClient {
  readonly #credentials: Credentials;
  readonly #timeout: number;

  constructor(credentials: Credentials, { timeout = 3_000 }: { timeout?: number } = {}) {
    this.#credentials = credentials;
    this.#timeout = timeout;
  }

  async status(endpoint: Endpoint, signal?: AbortSignal): Promise<EtcdStatus> {
    const answer = await this.#call(endpoint, '/v3/maintenance/status', {}, signal);
    const header = answer.header as Fields;
    return {
      clusterId: hexadecimal(header.cluster_id),
      memberId: hexadecimal(header.member_id),
      leader: answer.leader && answer.leader !== '0' ? hexadecimal(answer.leader) : undefined,
      version: String(answer.version ?? ''),
      dbSize: Number(answer.dbSize ?? 0),
      dbSizeInUse: Number(answer.dbSizeInUse ?? 0),
      revision: String(header.revision ?? '0'),
      isLearner: answer.isLearner === true,
      // The list of alarms says it as well, and each question of it is an entry in the log of all members.
      noSpace: ((answer.errors ?? []) as string[]).some((text) => ALARM_OF_NO_SPACE.test(text)),
    };
  }

  /** As quorum has it, not as this member remembers it. */
  async members(endpoint: Endpoint, signal?: AbortSignal): Promise<readonly EtcdMember[]> {
    const answer = await this.#call(endpoint, '/v3/cluster/member/list', { linearizable: true }, signal);
    return ((answer.members ?? []) as Fields[]).map((member) => ({
      id: hexadecimal(member.ID),
      peerUrls: (member.peerURLs ?? []) as string[],
      isLearner: member.isLearner === true,
    }));
  }

  async addLearner(endpoint: Endpoint, peerUrl: string, signal?: AbortSignal): Promise<void> {
    await this.#call(endpoint, '/v3/cluster/member/add', { peerURLs: [peerUrl], isLearner: true }, signal);
  }

  async promote(endpoint: Endpoint, id: string, signal?: AbortSignal): Promise<void> {
    await this.#call(endpoint, '/v3/cluster/member/promote', { ID: decimal(id) }, signal);
  }

  async remove(endpoint: Endpoint, id: string, signal?: AbortSignal): Promise<void> {
    await this.#call(endpoint, '/v3/cluster/member/remove', { ID: decimal(id) }, signal);
  }

  /**
   * Throws unless quorum agrees to a write. A lease that ends again goes through the log as a key does, and is refused as a key is where
   * the database is full; and it leaves no key, no revision, and no watcher is told.
   */
  async proveWrites(endpoint: Endpoint, signal?: AbortSignal): Promise<void> {
    const { ID } = await this.#call(endpoint, '/v3/lease/grant', { TTL: 60 }, signal);
    await this.#call(endpoint, '/v3/lease/revoke', { ID }, signal);
  }

  /** Why etcd refuses to serve, if it does; all members say the same, for it is in the log. */
  async alarms(endpoint: Endpoint, signal?: AbortSignal): Promise<readonly RaisedAlarm[]> {
    const { alarms = [] } = await this.#call(endpoint, '/v3/maintenance/alarm', { action: 'GET' }, signal);
    return (alarms as Fields[]).map(({ memberID, alarm }) => ({
      memberId: hexadecimal(memberID ?? 0),
      alarm: String(alarm),
    }));
  }

  /** Puts these alarms out; members that have reason to raise them again. */
  async disarm(endpoint: Endpoint, alarm: string, signal?: AbortSignal): Promise<void> {
    for (const raised of await this.alarms(endpoint, signal)) {
      if (raised.alarm !== alarm) continue;
      const memberID = decimal(raised.memberId);
      await this.#call(endpoint, '/v3/maintenance/alarm', { action: 'DEACTIVATE', memberID, alarm }, signal);
    }
  }

  /** Forgets what keys were before this revision. Resolves when the room is free within the database. */
  async compact(endpoint: Endpoint, revision: string, signal?: AbortSignal): Promise<void> {
    await this.#call(endpoint, '/v3/kv/compaction', { revision, physical: true }, signal, PATIENCE_WITH_DISKS);
  }

  /** The member writes its database anew, without what is free, and answers nobody until it is done. */
  async defragment(endpoint: Endpoint, signal?: AbortSignal): Promise<void> {
    await this.#call(endpoint, '/v3/maintenance/defragment', {}, signal, PATIENCE_WITH_DISKS);
  }

  /** The endpoint must be the leader's. */
  async moveLeader(endpoint: Endpoint, to: string, signal?: AbortSignal): Promise<void> {
    await this.#call(endpoint, '/v3/maintenance/transfer-leadership', { targetID: decimal(to) }, signal);
  }

  async #call(
    { address, serverName }: Endpoint,
    path: string,
    body: object,
    given?: AbortSignal,
    timeout = this.#timeout,
  ): Promise<Fields> {
    const patience = AbortSignal.timeout(timeout);
    const signal = given ? AbortSignal.any([given, patience]) : patience;
    const { status, text } = await new Promise<{ status: number; text: string }>((resolve, reject) => {
      const sent = request(
        {
          host: address,
          port: CLIENT_PORT,
          servername: serverName,
          method: 'POST',
          path,
          headers: { 'content-type': 'application/json' },
          // A connection for each question: members come and go, and a question every few seconds is none too many.
          agent: false,
          signal,
          ...this.#credentials,
        },
        (response) => void textOf(response).then((text) => resolve({ status: response.statusCode ?? 0, text }), reject),
      );
      sent.once('error', reject);
      sent.end(JSON.stringify(body));
    }).catch((cause) => {
      throw new EtcdError(`${serverName} gave no answer: ${reasonOf(cause)}`, undefined, { cause });
    });
    const answer = fieldsOf(text);
    if (status === 200 && answer) return answer;
    const message = String(answer?.message ?? answer?.error ?? `status ${status}`);
    throw new EtcdError(`${serverName} refused: ${message}`, Number(answer?.code ?? 2));
  }
}

type Fields = Record<string, unknown>;

function fieldsOf(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Fields) : undefined;
  } catch {
    return undefined;
  }
}

function reasonOf(cause: unknown): string {
  const { name, message, code } = cause as NodeJS.ErrnoException;
  return name === 'TimeoutError' || name === 'AbortError' ? 'it took too long' : (code ?? message);
}

/** As etcdctl prints ids. */
function hexadecimal(id: unknown): string {
  return BigInt(String(id)).toString(16);
}

function decimal(id: string): string {
  return BigInt(`0x${id}`).toString();
}
