/** Asks the standard health service of gRPC, over a new HTTP/2 connection. */
import { type ClientHttp2Session, type ClientHttp2Stream, connect, type IncomingHttpHeaders } from 'node:http2';
import type { GrpcProbe } from '../check.ts';
import { must } from '../check.ts';
import { type ErrorKind, kindOfError } from '../error-kind.ts';
import { Connection, type ConnectionUser } from './connection.ts';
import { authorityOf, type Endpoint, endpointOf, nameOfAuthority } from './endpoint.ts';
import { healthRequest, servingStatusOf } from './grpc-health.ts';
import { type Finding, findingOf, type ProbeRun, type StartProbe } from './probe-run.ts';
import { type TlsPlan, tlsPlanOf } from './tls-plan.ts';

/** A health response has seven bytes. */
const ANSWER_BYTES = 1024;
const METHOD = '/grpc.health.v1.Health/Check';

interface GrpcPlan {
  readonly endpoint: Endpoint;
  readonly tls: TlsPlan | undefined;
  readonly authority: string;
  readonly service: string;
  readonly request: Buffer;
}

/** Statuses that say something else than "the call failed". */
const kindsOfStatuses: Readonly<Record<number, ErrorKind>> = {
  5: 'not-serving',
  7: 'checker-denied',
  12: 'unimplemented',
  16: 'checker-denied',
};

/** How gRPC reads an answer that is no gRPC: https://github.com/grpc/grpc/blob/master/doc/http-grpc-status-mapping.md */
const statusesOfHttp: Readonly<Record<number, number>> = { 400: 13, 401: 16, 403: 7, 404: 12 };

class GrpcRun implements ProbeRun, ConnectionUser {
  readonly #plan: GrpcPlan;
  readonly #report: (finding: Finding) => void;
  readonly #connection: Connection;
  #session: ClientHttp2Session | undefined;
  #headers: IncomingHttpHeaders = {};
  #answer = Buffer.alloc(0);
  #over = false;

  constructor(plan: GrpcPlan, report: (finding: Finding) => void) {
    this.#plan = plan;
    this.#report = report;
    this.#connection = new Connection(plan.endpoint, plan.tls, this, 'none');
  }

  opened(): void {
    const { authority, tls, request } = this.#plan;
    const session = connect(`${tls ? 'https' : 'http'}://${authority}`, {
      createConnection: () => this.#connection.socket,
      settings: { enablePush: false, maxHeaderListSize: 16_384 },
      maxSessionMemory: 1,
      maxHeaderListPairs: 64,
    });
    this.#session = session;
    session.on('error', (error) => this.#broke(error));
    session.on('close', () => this.#finish('closed', ''));
    const stream = session.request({
      ':method': 'POST',
      ':path': METHOD,
      'content-type': 'application/grpc',
      'user-agent': 'kurator-check',
      te: 'trailers',
    });
    this.#read(stream);
    stream.end(request);
  }

  #read(stream: ClientHttp2Stream): void {
    const keep = (headers: IncomingHttpHeaders) => {
      this.#headers = { ...this.#headers, ...headers };
    };
    stream.on('error', (error) => this.#broke(error));
    stream.on('response', keep);
    stream.on('trailers', keep);
    stream.on('data', (chunk: Buffer) => {
      this.#answer = Buffer.concat([this.#answer, chunk]);
      if (this.#answer.length > ANSWER_BYTES) this.#finish('protocol', 'the answer is longer than a health response');
    });
    stream.on('close', () => this.#judge());
  }

  // HTTP/2 reads the socket itself.
  received(): void {}

  ended(): void {
    this.#finish('closed', '');
  }

  failed(kind: ErrorKind, message: string): void {
    this.#finish(kind, message);
  }

  expire(): void {
    this.#finish(this.#connection.expiredKind ?? 'response-timeout', '');
  }

  abandon(): void {
    this.#over = true;
    this.#close();
  }

  #broke(error: Error): void {
    this.#finish(kindOfError(error, 'protocol'), error.message);
  }

  #judge(): void {
    const http = Number(this.#headers[':status'] ?? 0);
    if (http === 0) {
      this.#finish('closed', '');
      return;
    }
    const told = this.#headers['grpc-status'];
    const status = told === undefined ? (statusesOfHttp[http] ?? 2) : Number(told);
    if (told !== undefined && status === 0) this.#judgeServing();
    else this.#judgeStatus(status, told === undefined ? `HTTP status ${http}` : `gRPC status ${told}`);
  }

  #judgeServing(): void {
    const serving = servingStatusOf(this.#answer);
    if (serving === 'SERVING') this.#finish(undefined, '');
    else if (serving) this.#finish('not-serving', `says ${serving}`);
    else this.#finish('protocol', 'the answer is no health response');
  }

  #judgeStatus(status: number, told: string): void {
    const message = decoded(String(this.#headers['grpc-message'] ?? ''));
    const text = message === '' ? told : `${told}: ${message}`;
    this.#finish(kindsOfStatuses[status] ?? 'grpc-status', text, status);
  }

  #finish(kind: ErrorKind | undefined, message: string, statusCode?: number): void {
    if (this.#over) return;
    this.#over = true;
    const details = { ...this.#connection.details, ...(statusCode !== undefined && { statusCode }) };
    this.#close();
    this.#report(kind ? findingOf(kind, message, details) : { outcome: 'healthy', message: '', ...details });
  }

  #close(): void {
    this.#session?.destroy();
    this.#connection.close();
  }
}

/** gRPC's messages are percent-encoded; a wrong encoding is shown as it came. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Throws `InvalidCheck` where the probe can't be run. */
export function prepareGrpc(probe: GrpcProbe): StartProbe {
  const endpoint = endpointOf(probe);
  const authority = probe.authority ?? authorityOf(endpoint);
  const service = probe.service ?? '';
  must(URL.canParse(`http://${authority}`), `authority must be a name with an optional port, not "${authority}"`);
  const plan: GrpcPlan = {
    endpoint,
    authority,
    service,
    request: healthRequest(service),
    tls: probe.tls && tlsPlanOf(probe.tls, nameOfAuthority(authority), 'h2'),
  };
  return (report) => new GrpcRun(plan, report);
}
