/**
 * gRPC as a client of etcd needs it: one question over a connection of its own, an answer or a stream of them. Over gRPC, and not over its
 * JSON gateway, etcd takes whoever asks for whom his certificate names: so the operator is root, and there is no password to keep.
 */
import { type ClientHttp2Session, type ClientHttp2Stream, connect, type IncomingHttpHeaders } from 'node:http2';

/** Who asks, and whom he believes. */
export interface Credentials {
  readonly ca: string | Buffer;
  readonly cert: string | Buffer;
  readonly key: string | Buffer;
}

/** Where to ask. */
export interface Target {
  readonly host: string;
  readonly port: number;
  /** The name in its certificate. */
  readonly serverName: string;
  readonly credentials: Credentials;
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

/** An answer of a cluster's list or of a status; a piece of a snapshot. Anything longer is none. */
const LONGEST_MESSAGE = 4_194_304;
/** What may be under way unread: a snapshot is not to wait for acknowledgements. */
const WINDOW = 4_194_304;
const PREFIX = 5;

/** @param method such as `Maintenance/Status`. */
export async function ask(target: Target, method: string, request: Buffer, signal: AbortSignal): Promise<Buffer> {
  let answer: Buffer | undefined;
  for await (const message of stream(target, method, request, signal)) answer ??= message;
  if (!answer) throw new EtcdError(`${target.serverName} gave no answer: it is empty`);
  return answer;
}

/** All answers, as they come. Ends only when etcd says that it was all. */
export async function* stream(
  target: Target,
  method: string,
  request: Buffer,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const { serverName } = target;
  const connection = open(target, signal);
  try {
    const { session, broken } = connection;
    const call = session.request({
      ':method': 'POST',
      ':path': `/etcdserverpb.${method}`,
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    const ended = endOf(call);
    // Read below, where the stream itself has not failed before.
    ended.catch(() => undefined);
    call.end(framed(request));
    yield* messagesOf(call);
    refuseUnlessOk(serverName, await Promise.race([ended, broken]));
  } catch (error) {
    if (error instanceof EtcdError) throw error;
    const cause = signal.aborted ? signal.reason : (connection.failure() ?? error);
    // biome-ignore lint/style/useErrorCause: it is the third argument.
    throw new EtcdError(`${serverName} gave no answer: ${reasonOf(cause)}`, undefined, { cause: error });
  } finally {
    connection.close();
  }
}

interface Connection {
  readonly session: ClientHttp2Session;
  /** Rejects when the connection fails. */
  readonly broken: Promise<never>;
  failure(): Error | undefined;
  close(): void;
}

function open({ host, port, serverName, credentials }: Target, signal: AbortSignal): Connection {
  const authority = host.includes(':') ? `[${host}]` : host;
  const session = connect(`https://${authority}:${port}`, {
    ...credentials,
    servername: serverName,
    settings: { initialWindowSize: WINDOW, enablePush: false },
  });
  let failure: Error | undefined;
  const broken = new Promise<never>((_, reject) => {
    session.on('error', (error) => {
      failure ??= error;
      reject(error);
    });
  });
  broken.catch(() => undefined);
  session.once('connect', () => session.setLocalWindowSize(WINDOW));
  const abort = () => session.destroy(signal.reason);
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort, { once: true });
  return {
    session,
    broken,
    failure: () => failure,
    close: () => {
      signal.removeEventListener('abort', abort);
      session.destroy();
    },
  };
}

/** What etcd says last: before anything else if there is nothing else. */
function endOf(call: ClientHttp2Stream): Promise<IncomingHttpHeaders> {
  return new Promise((resolve, reject) => {
    let last: IncomingHttpHeaders = {};
    call.on('response', (headers) => {
      last = headers;
    });
    call.on('trailers', (headers) => {
      last = headers;
    });
    call.once('error', reject);
    call.once('close', () => resolve(last));
  });
}

async function* messagesOf(call: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let held: Buffer = Buffer.alloc(0);
  for await (const chunk of call) {
    held = held.length > 0 ? Buffer.concat([held, chunk]) : chunk;
    while (held.length >= PREFIX) {
      const length = held.readUInt32BE(1);
      if (held[0] !== 0 || length > LONGEST_MESSAGE) throw new Error('the answer is too long, or compressed');
      if (held.length < PREFIX + length) break;
      yield held.subarray(PREFIX, PREFIX + length);
      held = held.subarray(PREFIX + length);
    }
  }
}

function framed(message: Buffer): Buffer {
  const prefix = Buffer.alloc(PREFIX);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}

function refuseUnlessOk(serverName: string, end: IncomingHttpHeaders): void {
  const code = end['grpc-status'];
  if (code === undefined) throw new EtcdError(`${serverName} gave no answer: it was cut off`);
  if (Number(code) === 0) return;
  const message = decodeURIComponent(String(end['grpc-message'] ?? `code ${code}`));
  throw new EtcdError(`${serverName} refused: ${message}`, Number(code));
}

function reasonOf(cause: unknown): string {
  const { name, message, code } = cause as NodeJS.ErrnoException;
  return name === 'TimeoutError' || name === 'AbortError' ? 'it took too long' : (code ?? message);
}
