/** The server's side of what the operator asks of etcd: gRPC in, plain objects out, as src/database/rpc.ts has them. For members that are simulated. */
import {
  createSecureServer,
  type SecureServerOptions,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { TLSSocket } from 'node:tls';
import { decode, encode } from '../../src/database/protobuf.ts';
import { rpc } from '../../src/database/rpc.ts';

export type Question = keyof typeof rpc;
/** What is said to a question: fields by the names of rpc.ts; or why not, by the codes of gRPC. */
export type Said = { readonly fields: object } | { readonly code: number; readonly message: string };

export interface GrpcServer {
  listen(port: number, address: string): Promise<void>;
  close(): void;
}

/** @param answer is told by the name of which host it was asked. */
export function grpcServer(
  options: SecureServerOptions,
  answer: (host: string, question: Question, fields: Readonly<Record<string, unknown>>) => Said,
): GrpcServer {
  const names = new Map(Object.entries(rpc).map(([name, { method }]) => [method as string, name as Question]));
  const sessions = new Set<ServerHttp2Session>();
  const server = createSecureServer(options);
  server.on('session', (session) => {
    sessions.add(session);
    session.once('close', () => sessions.delete(session));
    session.on('error', () => undefined);
  });
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined);
    const host = String((stream.session?.socket as TLSSocket | undefined)?.servername);
    const name = names.get(String(headers[':path']).replace('/etcdserverpb.', ''));
    // Whoever asked may have been killed meanwhile.
    void read(stream).then(
      (bytes) => {
        if (!name) return reply(stream, UNKNOWN);
        const said = answer(host, name, decode(rpc[name].question, bytes));
        reply(stream, 'fields' in said ? { bytes: encode(rpc[name].answer, said.fields as never) } : said);
      },
      () => undefined,
    );
  });
  return {
    listen: (port, address) =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, address, resolve);
      }),
    close() {
      for (const session of sessions) session.destroy();
      server.close();
    },
  };
}

const UNKNOWN = { code: 12, message: 'it is not simulated' };
const PREFIX = 5;

async function read(stream: ServerHttp2Stream): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(stream as AsyncIterable<Buffer>)).subarray(PREFIX);
}

function reply(stream: ServerHttp2Stream, said: { readonly bytes: Buffer } | { code: number; message: string }): void {
  if (stream.destroyed) return;
  const refusal = 'bytes' in said ? undefined : said;
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
  stream.on('wantTrailers', () => {
    const reason = refusal ? { 'grpc-message': encodeURIComponent(refusal.message) } : {};
    stream.sendTrailers({ 'grpc-status': `${refusal?.code ?? 0}`, ...reason });
  });
  if ('bytes' in said) {
    const prefix = Buffer.alloc(PREFIX);
    prefix.writeUInt32BE(said.bytes.length, 1);
    stream.end(Buffer.concat([prefix, said.bytes]));
  } else stream.end();
}
