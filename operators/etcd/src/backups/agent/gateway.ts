/** etcd's JSON gateway, as a container beside the cluster asks it. */
import { readFileSync } from 'node:fs';
import { type IncomingMessage, request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { textOf } from '../../database/answer.ts';
import { places } from '../task.ts';

const PATIENCE = 60_000;
const REACHABLE_WITHIN = 30_000;

export type Answer = Readonly<Record<string, unknown>>;

/** Of the keys as they were at a revision. Two are the same only where as much was compacted before. */
export interface KeysHash {
  readonly revision: number;
  readonly compactRevision: number;
  readonly hash: number;
}

/** The hash of all keys up to a revision, or up to the last one. */
export async function hashOf(url: string, revision = 0): Promise<KeysHash> {
  const answer = await ask(url, '/v3/maintenance/hashkv', { revision: String(revision) });
  const { revision: current } = answer.header as { revision?: string };
  return {
    // What was asked for, or else the last one: versions before 3.6 don't say which that was, but nothing was written since.
    revision: revision || Number(answer.hash_revision ?? current ?? 0),
    compactRevision: Number(answer.compact_revision ?? 0),
    hash: Number(answer.hash ?? 0),
  };
}

/** After this the member has everything that was written before. */
export async function catchUp(url: string): Promise<void> {
  await ask(url, '/v3/kv/range', { key: 'AA==', limit: '1', keys_only: true });
}

export async function versionOf(url: string): Promise<string> {
  return String((await ask(url, '/v3/maintenance/status', {})).version ?? '');
}

export async function revisionOf(url: string): Promise<number> {
  const { header } = await ask(url, '/v3/maintenance/status', {});
  return Number((header as { revision?: string }).revision ?? 0);
}

/** The snapshot, as the gateway sends it: see `snapshotBytes`. */
export async function openSnapshot(url: string): Promise<IncomingMessage> {
  return await send(url, '/v3/maintenance/snapshot', {});
}

async function ask(url: string, path: string, body: object): Promise<Answer> {
  const response = await send(url, path, body);
  const answer = fieldsOf(await textOf(response));
  if (response.statusCode === 200 && answer) return answer;
  throw new Error(`${url} refused ${path}: ${String(answer?.message ?? `status ${response.statusCode}`)}`);
}

/** All that is asked here may be asked again; and a member that has just begun may have no name in DNS for some seconds. */
async function send(url: string, path: string, body: object): Promise<IncomingMessage> {
  for (const until = Date.now() + REACHABLE_WITHIN; ; await delay(1000)) {
    try {
      return await sendOnce(url, path, body);
    } catch (error) {
      if (Date.now() > until) throw error;
    }
  }
}

async function sendOnce(url: string, path: string, body: object): Promise<IncomingMessage> {
  const options = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    agent: false,
    timeout: PATIENCE,
  } as const;
  return await new Promise((resolve, reject) => {
    const target = new URL(path, url);
    const sent = url.startsWith('https:')
      ? tlsRequest(target, { ...options, ...credentials() }, resolve)
      : plainRequest(target, options, resolve);
    sent.once('timeout', () => sent.destroy(new Error('nothing came for a minute')));
    sent.once('error', (cause) => reject(new Error(`${url} gave no answer to ${path}: ${cause.message}`, { cause })));
    sent.end(JSON.stringify(body));
  });
}

/** Read anew each time: they may have been changed in the meantime. */
function credentials() {
  const read = (name: string) => readFileSync(join(places.tls, name));
  return { ca: read('ca.crt'), cert: read('tls.crt'), key: read('tls.key') };
}

function fieldsOf(text: string): Answer | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Answer) : undefined;
  } catch {
    return undefined;
  }
}
