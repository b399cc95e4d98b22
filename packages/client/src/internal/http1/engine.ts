/**
 * HTTP/1.1 as the API server and what stands before it speak it. A request through it costs a third of the processor
 * time that undici takes (docs/designs/0007-http.md), because there is nothing here that isn't needed.
 */
import { constants } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import type { Deadline } from '../deadline.ts';
import { AnswerTooLong, type Engine, letOut, type WireRequest } from '../engine.ts';
import type { HttpAnswer, HttpStream } from '../http.ts';
import { BodyStream } from './body-stream.ts';
import type { Connection, Receiver } from './connection.ts';
import { ConnectionPool } from './connection-pool.ts';
import { requestHead } from './request-head.ts';

// The API server closes connections that were idle for 90 s; ours must be quicker, or a request meets a closed one.
const KEEP_ALIVE = 60_000;
// Enough for any number of workers that two cores can feed; more only makes a burst of TLS handshakes.
const REQUEST_CONNECTIONS = 32;

/** @param longestAnswer Bytes of a whole answer: as many as any text can have unless given. Streams have no end. */
export function createHttp1Engine(
  host: string,
  connect: () => Promise<Socket>,
  longestAnswer = constants.MAX_STRING_LENGTH,
): Engine {
  const requests = new ConnectionPool({ connect, limit: REQUEST_CONNECTIONS, keepAlive: KEEP_ALIVE });
  // Streams hold their connection for minutes: were they to share the pool, enough of them would starve the requests.
  const streams = new ConnectionPool({ connect, limit: Number.POSITIVE_INFINITY, keepAlive: KEEP_ALIVE });
  const bytesOf = (request: WireRequest) => requestHead(host, request) + (request.body ?? '');
  return {
    async exchange(request, deadline) {
      if (deadline.over) throw deadline.reason;
      const bytes = bytesOf(request);
      const connection = requests.takeIdle() ?? (await requests.take(deadline));
      letOutOn(connection, requests, request, deadline);
      return await answerOf(connection, bytes, deadline, longestAnswer);
    },
    async open(request, deadline, idleTimeout) {
      if (deadline.over) throw deadline.reason;
      const bytes = bytesOf(request);
      const connection = streams.takeIdle() ?? (await streams.take(deadline));
      letOutOn(connection, streams, request, deadline);
      return await streamOf(connection, bytes, deadline, idleTimeout);
    },
    async close() {
      await Promise.all([requests.close(), streams.close()]);
    },
    destroy() {
      const error = Object.assign(new Error('the client is closed'), { code: 'CLIENT_CLOSED' });
      requests.destroy(error);
      streams.destroy(error);
    },
  };
}

function letOutOn(connection: Connection, pool: ConnectionPool, { guard }: WireRequest, deadline: Deadline): void {
  try {
    // It may have come between the connection and us: it tells nobody twice.
    if (deadline.over) throw deadline.reason;
    letOut(guard);
  } catch (error) {
    pool.giveBack(connection);
    throw error;
  }
}

function answerOf(connection: Connection, bytes: string, deadline: Deadline, longest: number): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const forget = deadline.whenOver((reason) => connection.destroy(reason));
    const receiver = new WholeAnswer(
      (answer) => {
        forget();
        resolve(answer);
      },
      (error) => {
        forget();
        reject(error);
      },
      longest,
    );
    connection.send(bytes, receiver);
  });
}

class WholeAnswer implements Receiver {
  readonly #resolve: (answer: HttpAnswer) => void;
  readonly onError: (error: unknown) => void;
  #status = 0;
  #headers: IncomingHttpHeaders = {};
  #body: Buffer | undefined;
  #more: Buffer[] | undefined;
  /** Bytes that may still come. */
  #room: number;

  constructor(resolve: (answer: HttpAnswer) => void, reject: (error: unknown) => void, longest: number) {
    this.#resolve = resolve;
    this.onError = reject;
    this.#room = longest;
  }

  onHead(status: number, headers: IncomingHttpHeaders): void {
    this.#status = status;
    this.#headers = headers;
    if (Number(headers['content-length'] ?? 0) > this.#room) throw new AnswerTooLong('the answer is too long');
  }

  onData(chunk: Buffer): void {
    this.#room -= chunk.length;
    if (this.#room < 0) throw new AnswerTooLong('the answer is too long');
    if (!this.#body) this.#body = chunk;
    else if (this.#more) this.#more.push(chunk);
    else this.#more = [this.#body, chunk];
  }

  onEnd(): void {
    const body = this.#more ? Buffer.concat(this.#more) : this.#body;
    this.#resolve({ status: this.#status, headers: this.#headers, text: body ? body.toString('utf8') : '' });
  }
}

function streamOf(connection: Connection, bytes: string, deadline: Deadline, idle: number): Promise<HttpStream> {
  return new Promise((resolve, reject) => {
    const body = new BodyStream(connection, idle);
    const forget = deadline.whenOver((reason) => connection.destroy(reason));
    connection.send(bytes, {
      onHead: (status, headers) => resolve({ status, headers, body }),
      onData: (chunk) => body.push(chunk),
      onEnd() {
        forget();
        body.end();
      },
      onError(error) {
        forget();
        reject(error);
        body.fail(error);
      },
    });
  });
}
