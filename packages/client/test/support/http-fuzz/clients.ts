/** The same answers, read by Node's client and by ours. */
import { Agent, type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { startDeadline } from '../../../src/internal/deadline.ts';
import { createHttp1Engine } from '../../../src/internal/http1/engine.ts';
import { LONGEST_HEAD, ResponseParser } from '../../../src/internal/http1/response-parser.ts';
import type { Served } from './answers.ts';
import { serve, Wire } from './wire.ts';

/** What a request came to. */
export type Outcome =
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly headers: Record<string, string>;
      readonly body: string;
    }
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'waits' };

/** An outcome, and whether a further request would have gone over the same connection. */
export interface Read {
  readonly outcome: Outcome;
  readonly reused: boolean;
}

/** Ours: one request after another, over one engine; each is served what is next. */
export async function readByOurs(answers: readonly Served[]): Promise<Read[]> {
  const scene = startScene(answers);
  const engine = createHttp1Engine('server', async () => scene.connect() as unknown as Socket);
  const outcomes: Outcome[] = [];
  for (const _ of answers) {
    const caller = new AbortController();
    const deadline = startDeadline(60_000, caller.signal);
    const exchange = engine.exchange({ method: 'GET', path: '/', headers: { accept: '*/*' } }, deadline).then(
      ({ status, headers, text }): Outcome => ({ kind: 'answer', status, headers: ownOf(headers), body: text }),
      (error: Error): Outcome => ({ kind: 'refused', why: error.message }),
    );
    outcomes.push(await Promise.race([exchange, scene.quiet()]));
    await scene.quiet();
    caller.abort(new Error('waited long enough'));
    await exchange;
    deadline.end();
  }
  // One more, to see which connection it takes.
  const last = new AbortController();
  const probe = startDeadline(60_000, last.signal);
  const probing = engine.exchange({ method: 'GET', path: '/', headers: {} }, probe).catch(() => {});
  await scene.quiet();
  last.abort(new Error('seen'));
  await probing;
  probe.end();
  engine.destroy();
  return outcomes.map((outcome, i) => ({ outcome, reused: scene.connectionOf(i) === scene.connectionOf(i + 1) }));
}

/** Node's: each on a connection of its own, because a slip in one must not be held against the next. */
export async function readByNode(answer: Served): Promise<Read> {
  const scene = startScene([answer]);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  agent.createConnection = () => scene.connect() as unknown as Socket;
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  const refused = (error: Error) => resolve({ kind: 'refused', why: error.message });
  const sent = request({ host: 'server', agent, maxHeaderSize: LONGEST_HEAD, headers: { accept: '*/*' } });
  sent.on('error', refused);
  sent.on('response', (response) => void read(response).then(resolve, refused));
  sent.end();
  const outcome = await Promise.race([promise, scene.quiet()]);
  await scene.quiet();
  // What it keeps and has not given up is what it would take for a further request.
  const kept = Object.values(agent.freeSockets).flatMap((sockets) => sockets ?? []);
  const reused = kept.some(({ destroyed }) => !destroyed);
  agent.destroy();
  scene.end();
  return { outcome, reused };
}

async function read(response: IncomingMessage): Promise<Outcome> {
  const chunks: Buffer[] = [];
  for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
  if (!response.complete) throw new Error('cut off');
  const headers: Record<string, string> = Object.create(null);
  const { rawHeaders } = response;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = (rawHeaders[i] as string).toLowerCase();
    headers[name] = name in headers ? `${headers[name]}, ${rawHeaders[i + 1]}` : (rawHeaders[i + 1] as string);
  }
  return {
    kind: 'answer',
    status: response.statusCode ?? 0,
    headers: ownOf(headers),
    body: Buffer.concat(chunks).toString('utf8'),
  };
}

/** How an answer reads for a parser that has read nothing before. */
export interface ReadAlone {
  readonly outcome: Outcome;
  /** Bytes up to its end; all of them where it has none. */
  readonly length: number;
}

const singleBytes = Array.from({ length: 256 }, (_, byte) => Buffer.of(byte));

/** Reads one answer byte by byte: what neither other pieces nor other answers before it may change. */
export function readAlone({ pieces, after }: Served): ReadAlone {
  let [status, headers, ended] = [0, {}, false];
  const chunks: Buffer[] = [];
  const parser = new ResponseParser({
    onHead(code, fields) {
      status = code;
      headers = ownOf(fields);
    },
    onData: (chunk) => void chunks.push(chunk),
    onEnd() {
      ended = true;
    },
  });
  const all = pieces.join('');
  parser.await();
  let length = 0;
  try {
    while (length < all.length && !ended) {
      parser.feed(singleBytes[all.charCodeAt(length)] as Buffer);
      length += 1;
    }
  } catch (error) {
    return { outcome: { kind: 'refused', why: (error as Error).message }, length };
  }
  if (!ended && after === 'ends') parser.finish();
  if (ended)
    return { outcome: { kind: 'answer', status, headers, body: Buffer.concat(chunks).toString('utf8') }, length };
  return {
    outcome: after === 'stays' ? { kind: 'waits' } : { kind: 'refused', why: 'the connection was closed' },
    length,
  };
}

// An object can't have a header of this name; no server needs it.
function ownOf(headers: object): Record<string, string> {
  const { ['__proto__']: _, ...rest } = headers as Record<string, string>;
  return { ...rest };
}

/** A server for these answers, one a request, on as many connections as it takes; further requests get none. */
function startScene(answers: readonly Served[]) {
  const wires: Wire[] = [];
  const usedBy: number[] = [];
  let serving: Promise<void> = Promise.resolve();
  const connect = () => {
    const number = wires.length;
    const wire = new Wire(() => {
      const answer = answers[usedBy.length];
      usedBy.push(number);
      serving = answer ? serve(wire, answer) : Promise.resolve();
    });
    wires.push(wire);
    return wire;
  };
  return {
    connect,
    connectionOf: (request: number) => usedBy[request] ?? -1 - request,
    /** When the client has had its time with everything that was sent. */
    async quiet(): Promise<Outcome> {
      await nextTurn();
      await serving;
      await nextTurn();
      await nextTurn();
      return { kind: 'waits' };
    },
    end() {
      for (const wire of wires) wire.destroy();
    },
  };
}
