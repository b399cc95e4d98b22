/**
 * The only way from an operator's process to the API server. It sees every request, knows each write by what it does and
 * the how-manieth of its kind it is, and lets the process be killed at one of them: before the server has it, when the
 * server has done it and nobody was told, or when the answer has been given.
 */
import {
  createServer,
  Agent as HttpAgent,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request as requestPlainly,
  type ServerResponse,
} from 'node:http';
import { Agent as HttpsAgent, request as requestSecurely } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import type { ClientConfig } from '@kurator/client';
import { TestenvError } from '../../error.ts';
import type { Plan } from './plan.ts';
import { describeWrite, nameIn, parsePath, type ResourcePath } from './write.ts';

interface GateOptions {
  readonly config: ClientConfig;
  readonly namespace: string;
  /** Resources whose writes don't count. */
  readonly leavesOut: readonly string[];
  readonly plan: Plan | undefined;
  /** The moment has come: kills the process, and resolves when it is dead. */
  onPoint(): Promise<void>;
  /** After the API server has done a write that counts, before the process is told. */
  afterWrite(write: string): Promise<void>;
}

/** What has passed so far, and what is open. */
export interface Gate {
  readonly url: string;
  /** Those that count and have reached the API server, in their order: `apply deployments.apps/web #2`. */
  readonly writes: readonly string[];
  /** What was asked for in any way, by its name: where its objects are listed. */
  readonly resources: ReadonlyMap<string, ResourcePath>;
  /** Leases that were written, by path; that of all of them where one has no name that can be read. */
  readonly leases: ReadonlySet<string>;
  /** Whether the plan's write has come by. */
  readonly reached: boolean;
  /** When the process that is there now opened its first watch; undefined before that. */
  readonly upSince: number | undefined;
  /** Milliseconds from the first watch of all to the first write of all; 0 before there is one. */
  readonly untilFirstWrite: number;
  /** Since when nothing was asked for; undefined while a write is under way, or nobody watches. */
  quietSince(): number | undefined;
  /** Breaks every connection there is, and takes new ones from then on. */
  cut(): void;
  close(): Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly body: Buffer;
}

/** A write that counts. */
interface Numbered {
  /** With its number: `apply deployments.apps/web #2`. */
  readonly name: string;
  /** It never came to anything: the next one of its kind has its number. */
  giveBack(): void;
}

/** Milliseconds in which a process has read an answer and done what it does then, if it gives no sign of it. */
const ACTING = 1000;

export async function openGate(options: GateOptions): Promise<Gate> {
  const { config, namespace, leavesOut, plan, onPoint, afterWrite } = options;
  const upstream = upstreamOf(config);
  const sockets = new Set<Socket>();
  const taken = new Map<string, Set<number>>();
  const writes: string[] = [];
  const resources = new Map<string, ResourcePath>();
  const leases = new Set<string>();
  let [watches, writing, changedAt] = [0, 0, performance.now()];
  let [reached, dying] = [false, false];
  let [upSince, firstUp, firstWrite]: (number | undefined)[] = [];

  /** The write with its number, if it is one that counts. */
  const numbered = (request: IncomingMessage, url: URL, body: Buffer): Numbered | undefined => {
    const path = parsePath(url.pathname);
    if (path) resources.set(path.resource, path);
    if (!path || path.namespace !== namespace) return undefined;
    const what = describeWrite(request.method ?? '', url, request.headers, path, body);
    if (what && path.resource.startsWith('leases.')) leases.add(leasePath(url, path, body));
    if (!what || leavesOut.includes(path.resource)) return undefined;
    const numbers = taken.get(what) ?? new Set();
    taken.set(what, numbers);
    let nth = 1;
    while (numbers.has(nth)) nth++;
    numbers.add(nth);
    return { name: `${what} #${nth}`, giveBack: () => void numbers.delete(nth) };
  };

  /** Whoever asks again over the same connection has read what it was answered; whoever doesn't has had the time for it. */
  const hasActed = async (socket: Socket) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const hear = (request: IncomingMessage) => void (request.socket === socket && resolve());
    server.on('request', hear);
    socket.once('close', resolve);
    const timer = setTimeout(resolve, ACTING);
    await promise;
    clearTimeout(timer);
    server.off('request', hear);
  };

  const die = async () => {
    dying = true;
    await onPoint();
  };

  const write = async (
    { name, giveBack }: Numbered,
    request: IncomingMessage,
    response: ServerResponse,
    body: Buffer,
  ) => {
    const when = plan?.write === name && !reached ? plan.when : undefined;
    if (when) reached = true;
    if (when === 'before') return await die();
    const answer = await upstream.exchange(request, body).catch((error) => {
      giveBack();
      throw error;
    });
    writes.push(name);
    firstWrite ??= performance.now();
    await afterWrite(name);
    if (when === 'during') return await die();
    // From here on it may do what it does upon the answer, anywhere but here.
    if (when === 'after') dying = true;
    response.writeHead(answer.status, answer.headers);
    await new Promise<void>((resolve) => response.end(answer.body, resolve).once('close', resolve));
    if (when !== 'after') return;
    await hasActed(request.socket);
    await die();
  };

  /** Whoever asks for something has not come to rest; a Lease is renewed for ever. */
  const noteActivity = (url: URL) => {
    if (!leavesOut.includes(parsePath(url.pathname)?.resource ?? '')) changedAt = performance.now();
  };

  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? '/', 'http://gate');
    const isWatch = ['true', '1'].includes(url.searchParams.get('watch') ?? '');
    noteActivity(url);
    if (!isWatch) response.once('close', () => noteActivity(url));
    if (request.method === 'GET') {
      numbered(request, url, Buffer.alloc(0));
      return upstream.stream(request, response, () => {
        if (!isWatch) return;
        watches++;
        changedAt = performance.now();
        upSince ??= changedAt;
        firstUp ??= changedAt;
        response.once('close', () => watches--);
      });
    }
    const body = await bodyOf(request);
    // A process that is about to die asks for nothing any more.
    if (dying) return;
    const counted = numbered(request, url, body);
    if (!counted) {
      const answer = await upstream.exchange(request, body);
      return void response.writeHead(answer.status, answer.headers).end(answer.body);
    }
    writing++;
    try {
      await write(counted, request, response, body);
    } finally {
      writing--;
      changedAt = performance.now();
    }
  };

  const server = createServer((request, response) => {
    // The client is told by a broken connection, as it would be by any proxy.
    serve(request, response).catch(() => request.socket.destroy());
  });
  server.on('connection', (socket) => sockets.add(socket.once('close', () => sockets.delete(socket))));
  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    upstream.tunnel(request, socket, head);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cut = () => {
    for (const socket of sockets) socket.destroy();
    dying = false;
    upSince = undefined;
  };

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    writes,
    resources,
    leases,
    get reached() {
      return reached;
    },
    get upSince() {
      return upSince;
    },
    get untilFirstWrite() {
      return firstUp === undefined || firstWrite === undefined ? 0 : Math.max(0, firstWrite - firstUp);
    },
    quietSince: () => (watches > 0 && writing === 0 && !dying ? changedAt : undefined),
    cut,
    async close() {
      cut();
      upstream.close();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function leasePath(url: URL, path: ResourcePath, body: Buffer): string {
  const name = path.name ? undefined : nameIn(body);
  return name && !name.endsWith('*') ? `${url.pathname}/${name}` : url.pathname;
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** The API server itself, with the credentials of the test's client. */
function upstreamOf({ server, ca, cert, key, token, tlsServerName, insecureSkipTlsVerify }: ClientConfig) {
  const base = new URL(server);
  const isSecure = base.protocol === 'https:';
  if (isSecure && !token && !(cert && key)) {
    throw new TestenvError('KUR_TESTENV_OPTION', 'everyCrash: the client has neither a token nor a certificate', {
      remedy: 'give a client whose configuration has `token`, or `cert` and `key`, as those of test clusters do',
    });
  }
  const tls = {
    ...(ca && { ca }),
    ...(cert && { cert }),
    ...(key && { key }),
    ...(tlsServerName && { servername: tlsServerName }),
    rejectUnauthorized: !insecureSkipTlsVerify,
  };
  const agent = isSecure ? new HttpsAgent({ keepAlive: true, ...tls }) : new HttpAgent({ keepAlive: true });
  const send = isSecure ? requestSecurely : requestPlainly;
  const headersFor = ({ headers }: IncomingMessage): OutgoingHttpHeaders => {
    const { host: _, connection: __, 'transfer-encoding': ___, authorization, ...rest } = headers;
    const allowed = token ? `Bearer ${token}` : authorization;
    return { ...rest, ...(allowed && { authorization: allowed }) };
  };
  const begin = (request: IncomingMessage, headers = headersFor(request)) =>
    send({
      agent,
      hostname: base.hostname,
      port: base.port,
      path: pathAt(base, request),
      method: request.method,
      headers,
    });

  return {
    /** Sends it, and has the whole answer. */
    exchange: (request: IncomingMessage, body: Buffer) =>
      new Promise<Answer>((resolve, reject) => {
        const sent = begin(request, { ...headersFor(request), 'content-length': body.length });
        sent.once('error', reject).once('response', (answer) => {
          const { 'transfer-encoding': _, connection: __, ...headers } = answer.headers;
          bodyOf(answer).then((whole) => resolve({ status: answer.statusCode ?? 502, headers, body: whole }), reject);
        });
        sent.end(body);
      }),
    /** Passes the answer on as it comes. */
    stream(request: IncomingMessage, response: ServerResponse, onBegun: () => void): void {
      const sent = begin(request);
      response.once('close', () => sent.destroy());
      sent
        .once('error', () => response.destroy())
        .once('response', (answer) => {
          const { connection: _, ...headers } = answer.headers;
          response.writeHead(answer.statusCode ?? 502, headers);
          response.flushHeaders();
          onBegun();
          answer.once('error', () => response.destroy()).pipe(response);
        });
      sent.end();
    },
    /** Exec, attach and port-forward: bytes both ways. */
    tunnel(request: IncomingMessage, socket: Socket, head: Buffer): void {
      const address = { host: base.hostname, port: Number(base.port) };
      const other = isSecure ? connectSecurely({ ...address, ...tls, ALPNProtocols: ['http/1.1'] }) : connect(address);
      const lines = Object.entries({ ...headersFor(request), host: base.host, connection: 'Upgrade' });
      const text = [`${request.method} ${pathAt(base, request)} HTTP/1.1`, ...lines.map((line) => line.join(': '))];
      const end = () => {
        socket.destroy();
        other.destroy();
      };
      for (const one of [socket, other]) one.on('error', end).on('close', end);
      other.write(`${text.join('\r\n')}\r\n\r\n`);
      other.write(head);
      socket.pipe(other).pipe(socket);
    },
    close: () => agent.destroy(),
  };
}

function pathAt(base: URL, request: IncomingMessage): string {
  return `${base.pathname.replace(/\/$/, '')}${request.url}`;
}
