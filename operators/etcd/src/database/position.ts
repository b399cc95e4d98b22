/**
 * How far a member's data goes. Asked where probes ask: a member that was started without quorum does not serve clients, and so it
 * can't be asked as one.
 */
import { get } from 'node:http';
import type { Position } from '../brain/situation.ts';
import { textOf } from './answer.ts';
import type { Endpoint } from './etcd-client.ts';

const PORT = 2381;
const PATIENCE = 3_000;
/** A member's metrics are some 100 kB. */
const LONGEST_ANSWER = 4_194_304;

/** Undefined if it does not say. */
export async function positionOf({ address }: Endpoint, given: AbortSignal): Promise<Position | undefined> {
  const signal = AbortSignal.any([given, AbortSignal.timeout(PATIENCE)]);
  const text = await read(address, signal).catch(() => undefined);
  return text === undefined ? undefined : readPosition(text);
}

/** From metrics in Prometheus' text format. */
function readPosition(metrics: string): Position | undefined {
  const revision = sampleOf(metrics, 'etcd_debugging_mvcc_current_revision');
  const index = sampleOf(metrics, 'etcd_server_proposals_committed_total');
  return revision === undefined || index === undefined ? undefined : { revision, index };
}

function sampleOf(metrics: string, name: string): number | undefined {
  const line = metrics.split('\n').find((line) => line.startsWith(`${name} `));
  const value = Number(line?.slice(name.length + 1));
  return Number.isFinite(value) ? value : undefined;
}

function read(host: string, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = get({ host, port: PORT, path: '/metrics', agent: false, signal }, (response) => {
      const { statusCode } = response;
      void textOf(response, LONGEST_ANSWER).then(
        (text) => (statusCode === 200 ? resolve(text) : reject(new Error(`status ${statusCode}`))),
        reject,
      );
    });
    sent.once('error', reject);
  });
}
