/** What brains say to each other, and to the operator: over HTTP, to whoever shows the cluster's token. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { FreezeAnswer, FreezeRequest, GrantAnswer, GrantRequest } from '../brain/messages.ts';

/** What a brain says of its instance. */
export interface InstanceReport {
  readonly role: 'Primary' | 'Replica' | 'Unknown';
  readonly timeline?: number;
  readonly lag?: number;
  /** As PostgreSQL calls the cluster. */
  readonly systemId?: string;
  /** The epoch whose holder it is, as primary, or receives from, without having fallen behind. */
  readonly streams?: number;
  /** It has let a primary run on, and that lives. */
  readonly grants: boolean;
  readonly doing?: string;
}

/** What a brain answers with. */
export interface Answers {
  readonly token: () => Promise<string>;
  readonly isReady: () => Promise<boolean>;
  readonly report: () => Promise<InstanceReport>;
  readonly freeze: (request: FreezeRequest) => Promise<FreezeAnswer>;
  readonly grant: (request: GrantRequest) => Promise<GrantAnswer>;
}

const LONGEST_QUESTION = 10_000;
const PATIENCE = 2000;

export async function serve(port: number, answers: Answers): Promise<Server> {
  const server = createServer((request, response) => {
    answer(request, response, answers).catch(() => {
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, () => resolve());
  });
  return server;
}

async function answer(request: IncomingMessage, response: ServerResponse, answers: Answers): Promise<void> {
  const say = (code: number, value?: unknown) => {
    response.writeHead(code, { 'content-type': 'application/json' });
    response.end(value === undefined ? '' : JSON.stringify(value));
  };
  if (request.url === '/healthz') return say(200);
  if (request.url === '/readyz') return say((await answers.isReady()) ? 200 : 503);
  if (!isSame(request.headers.authorization ?? '', `Bearer ${await answers.token()}`)) return say(401);
  if (request.url === '/status') return say(200, await answers.report());
  if (request.method !== 'POST') return say(404);
  const question = JSON.parse(await bodyOf(request));
  if (request.url === '/freeze') return say(200, await answers.freeze(question));
  if (request.url === '/grant') return say(200, await answers.grant(question));
  return say(404);
}

/** In the same time for every difference. */
function isSame(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) {
    text += chunk;
    if (text.length > LONGEST_QUESTION) throw new Error('longer than any question');
  }
  return text;
}

/** Undefined where there is no answer, or none that makes sense. */
async function ask<T>(base: string, path: string, token: string, question?: unknown, signal?: AbortSignal) {
  const init: RequestInit = {
    method: question === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${token}` },
    signal: AbortSignal.any([AbortSignal.timeout(PATIENCE), ...(signal ? [signal] : [])]),
    ...(question === undefined ? {} : { body: JSON.stringify(question) }),
  };
  const response = await fetch(`${base}${path}`, init).catch(() => undefined);
  if (!response?.ok) return undefined;
  return (await response.json().catch(() => undefined)) as T | undefined;
}

export const askStatus = async (base: string, token: string, signal?: AbortSignal) =>
  await ask<InstanceReport>(base, '/status', token, undefined, signal);
export const askFreeze = async (base: string, token: string, request: FreezeRequest) =>
  await ask<FreezeAnswer>(base, '/freeze', token, request);
export const askGrant = async (base: string, token: string, request: GrantRequest) =>
  await ask<GrantAnswer>(base, '/grant', token, request);
