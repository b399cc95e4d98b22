/** The agent: answers questions of who has the key, two at a time, and nothing else. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { measure as measureConnections } from './measure.ts';
import {
  isSignedBy,
  measurePath,
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
    const text = await bodyOf(request);
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

/** Undefined where it is too long, or breaks off. */
async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request) {
      size += (chunk as Buffer).length;
      if (size > questionBytes) return undefined;
      chunks.push(chunk as Buffer);
    }
  } catch {
    return undefined;
  }
  return Buffer.concat(chunks).toString('utf8');
}
