/** The agent: answers questions of who has the key, two at a time, and nothing else. */

import { createServer, type Server, type ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { boundedText } from '../../access/bounded-text.ts';
import type { CheckResult } from '../checks/check-result.ts';
import { CheckScheduler } from '../checks/check-scheduler.ts';
import {
  type Address,
  isSignedBy,
  measurePath,
  mostOpenings,
  type Opening,
  parseQuestion,
  type Question,
  questionBytes,
  signatureHeader,
  signatureOf,
} from './message.ts';

/** What an agent is made of. */
export interface AgentOptions {
  readonly key: string;
  /** How connections are measured; for tests. */
  readonly measure?: typeof measureConnections;
}

const mostAtOnce = 2;
/** Nobody needs longer to send a few kilobytes. */
const patienceMs = 5000;

/** An agent; it serves once it listens. */
export function createAgent({ key, measure = measureConnections }: AgentOptions): Server {
  let underWay = 0;

  const answer = async (question: Question, response: ServerResponse) => {
    if (underWay >= mostAtOnce) return refuse(response, 429);
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    underWay++;
    try {
      const openings = await measure(question.addresses, gone.signal);
      const text = JSON.stringify({ nonce: question.nonce, openings });
      response.setHeader(signatureHeader, signatureOf('agent', text, key));
      response.setHeader('content-type', 'application/json');
      response.end(text);
    } catch {
      refuse(response, 503);
    } finally {
      underWay--;
    }
  };

  const server = createServer(async (request, response) => {
    if (request.method === 'GET' && request.url === '/healthz') return void response.end('ok');
    if (request.method !== 'POST' || request.url !== measurePath) return refuse(response, 404);
    // One that breaks off is none either.
    const text = await boundedText(request, questionBytes).catch(() => undefined);
    if (text === undefined) return refuse(response, 413);
    if (!isSignedBy('operator', text, request.headers[signatureHeader], key)) return refuse(response, 401);
    const question = parseQuestion(text);
    if (!question) return refuse(response, 400);
    await answer(question, response);
  });
  server.requestTimeout = patienceMs;
  server.headersTimeout = patienceMs;
  server.maxConnections = 64;
  return server;
}

function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status, { connection: 'close' }).end();
}

/** For how long connections are opened, and how many are under way to one address at once. */
const roundMs = 4000;
const lanes = 4;
/** Between two openings of a lane. */
const everyMs = 400;
/** Long enough for two lost SYNs, which cost 3 s. */
const timeoutMs = 3500;

/** Measures each address some forty times; fewer where packets are lost, since a lost one is waited for. */
async function measureConnections(addresses: readonly Address[], signal: AbortSignal): Promise<Opening[][]> {
  const rows: CheckResult[][] = addresses.map(() => []);
  const scheduler = new CheckScheduler({
    threads: 0,
    onResult(result) {
      rows[Number(result.target)]?.push(result);
      return undefined;
    },
  });
  for (const [index, { host, port }] of addresses.entries()) {
    for (let lane = 0; lane < lanes; lane++) {
      const key = { target: String(index), check: String(lane) };
      scheduler.set({ ...key, probe: { kind: 'tcp', host, port }, timeoutMs, intervalMs: everyMs });
    }
  }
  try {
    await delay(roundMs, undefined, { signal });
  } finally {
    await scheduler.close();
  }
  const now = Date.now();
  return rows.map((row) => row.flatMap((result) => openingOf(result, now)).slice(-mostOpenings));
}

/** Refusals and the agent's own trouble say nothing about the way. */
function openingOf({ at, connectMs, errorKind, latencyMs }: CheckResult, now: number): Opening[] {
  const ago = Math.max(0, Math.round(now - at));
  if (connectMs !== undefined) return [[ago, short(connectMs), true]];
  return errorKind === 'connect-timeout' ? [[ago, short(latencyMs), false]] : [];
}

/** Thousands of them have to fit into an answer. */
function short(milliseconds: number): number {
  return Math.round(milliseconds * 100) / 100;
}
