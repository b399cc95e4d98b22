/** etcd, as a container beside the cluster asks it: the cluster with the certificate that is mounted, the scratch member with one made for it. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { EtcdError, type Target } from '../../database/grpc.ts';
import type { Draft, Message, Shape } from '../../database/protobuf.ts';
import { type Call, invoke, listen, rpc } from '../../database/rpc.ts';
import { places, SCRATCH } from '../task.ts';

const PATIENCE = 60_000;
const REACHABLE_WITHIN = 30_000;
/** As long as the pod may run: a snapshot is as large as its database. */
const SNAPSHOT_WITHIN = 1_800_000;

/** Of the keys as they were at a revision. Two are the same only where as much was compacted before. */
export interface KeysHash {
  readonly revision: number;
  readonly compactRevision: number;
  readonly hash: number;
}

/** The hash of all keys up to a revision, or up to the last one. */
export async function hashOf(url: string, revision = 0): Promise<KeysHash> {
  const { header, hash, compactRevision, hashRevision } = await ask(url, rpc.hash, { revision });
  // What was asked for, or else the last one: versions before 3.6 don't say which that was, but nothing was written since.
  return { revision: revision || hashRevision || header.revision, compactRevision, hash };
}

/** After this the member has everything that was written before. */
export async function catchUp(url: string): Promise<void> {
  await ask(url, rpc.range, { key: Buffer.from([0]), limit: 1, keysOnly: true });
}

export async function versionOf(url: string): Promise<string> {
  return (await ask(url, rpc.status, {})).version;
}

export async function revisionOf(url: string): Promise<number> {
  return (await ask(url, rpc.status, {})).header.revision;
}

/** The bytes of the database, and after them the 32 of its own SHA-256. Fails unless etcd has sent all of it. */
export async function* snapshotOf(url: string): AsyncGenerator<Buffer> {
  let isWhole = false;
  const signal = AbortSignal.timeout(SNAPSHOT_WITHIN);
  for await (const { remaining, blob } of listen(await targetOf(url), rpc.snapshot, {}, signal)) {
    // The last piece of the database and the digest after it both have nothing after them.
    isWhole = remaining === 0;
    if (blob.length > 0) yield blob;
  }
  if (!isWhole) throw new Error('the snapshot was cut off');
}

/** All that is asked here may be asked again; and a member that has just begun may have no name in DNS for some seconds. */
async function ask<Q extends Shape, A extends Shape>(
  url: string,
  call: Call<Q, A>,
  draft: Draft<Q>,
): Promise<Message<A>> {
  for (const until = Date.now() + REACHABLE_WITHIN; ; await delay(1000)) {
    try {
      return await invoke(await targetOf(url), call, draft, AbortSignal.timeout(PATIENCE));
    } catch (error) {
      const isAnswer = error instanceof EtcdError && error.code !== undefined;
      if (isAnswer || Date.now() > until) throw error;
    }
  }
}

/** Certificates are read anew each time: they may have been changed in the meantime. */
async function targetOf(url: string): Promise<Target> {
  const { hostname, port } = new URL(url);
  const folder = url === SCRATCH ? places.scratchTls : places.tls;
  const read = async (name: string) => await readFile(join(folder, name));
  const [ca, cert, key] = await Promise.all([read('ca.crt'), read('tls.crt'), read('tls.key')]);
  return { host: hostname, port: Number(port), serverName: hostname, credentials: { ca, cert, key } };
}
