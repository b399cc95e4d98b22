/// <reference path="./undici-parts.d.ts" />
/**
 * HTTP/2, by undici, for whoever asks for it. Only the two parts of undici that are needed are loaded, and only then:
 * its index also loads fetch, caches, mocks and more. They are no public paths, so package.json pins the exact version.
 */
import { constants } from 'node:buffer';
import type { Socket } from 'node:net';
import type { Dispatcher, Pool } from 'undici';
import type { Guard } from '../../options.ts';
import type { Deadline } from '../deadline.ts';
import { AnswerTooLong, type Engine, letOut, StreamWentQuiet, type WireRequest } from '../engine.ts';

// Many requests go on one connection; a second one keeps a lost packet from stopping all of them.
const CONNECTIONS = 2;
const CONCURRENT_STREAMS = 100;
const KEEP_ALIVE = 60_000;

/** @param longestAnswer Bytes of a whole answer: as many as any text can have unless given. Streams have no end. */
export function createHttp2Engine(
  origin: string,
  connect: () => Promise<Socket>,
  longestAnswer = constants.MAX_STRING_LENGTH,
): Engine {
  let pool: Promise<Pool> | undefined;
  const send = async (request: WireRequest, deadline: Deadline, idle: number) => {
    pool ??= openPool(origin, connect);
    const { default: requestOf } = await import('undici/lib/api/api-request.js');
    const { method, path, headers, body, guard } = request;
    const { signal } = deadline;
    const options = { method, path, headers: headers as Record<string, string | string[]>, body: body ?? null, signal };
    // The deadline ends the exchange as a whole.
    return await requestOf.call(letOutBy(guard, await pool), { ...options, headersTimeout: 0, bodyTimeout: idle });
  };
  return {
    async exchange(request, deadline) {
      const { statusCode, headers, body } = await send(request, deadline, 0);
      return { status: statusCode, headers, text: await textOf(body, longestAnswer) };
    },
    async open(request, deadline, idleTimeout) {
      const { statusCode, headers, body } = await send(request, deadline, idleTimeout);
      return { status: statusCode, headers, body: noticingSilence(body) };
    },
    async close() {
      await (await pool)?.close();
    },
    destroy() {
      void pool?.then((opened) => opened.destroy());
    },
  };
}

async function textOf(body: AsyncIterable<Uint8Array>, longest: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let room = longest;
  // Leaving it early ends the stream too.
  for await (const chunk of body) {
    room -= chunk.length;
    if (room < 0) throw new AnswerTooLong('the answer is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** The same, but asks the guard when a stream was found for a request and its first byte is to be written. */
function letOutBy(guard: Guard | undefined, pool: Pool): Dispatcher {
  if (!guard) return pool;
  const dispatch: Dispatcher['dispatch'] = (options, handler) =>
    pool.dispatch(options, {
      ...handlerMethods(handler),
      onRequestStart(controller, context) {
        handler.onRequestStart?.(controller, context);
        try {
          letOut(guard);
        } catch (error) {
          controller.abort(error as Error);
        }
      },
    });
  return { dispatch } as Dispatcher;
}

function handlerMethods(handler: Dispatcher.DispatchHandler): Dispatcher.DispatchHandler {
  return {
    onResponseStart: (...of) => handler.onResponseStart?.(...of),
    onResponseData: (...of) => handler.onResponseData?.(...of),
    onResponseEnd: (...of) => handler.onResponseEnd?.(...of),
    onResponseError: (...of) => handler.onResponseError?.(...of),
  };
}

async function openPool(origin: string, connect: () => Promise<Socket>): Promise<Pool> {
  const { default: UndiciPool } = await import('undici/lib/dispatcher/pool.js');
  return new UndiciPool(origin, {
    allowH2: true,
    connections: CONNECTIONS,
    pipelining: CONCURRENT_STREAMS,
    keepAliveTimeout: KEEP_ALIVE,
    keepAliveMaxTimeout: KEEP_ALIVE,
    connect: (_, callback) => {
      connect().then(
        (socket) => callback(null, socket),
        (error: Error) => callback(error, null),
      );
    },
  });
}

async function* noticingSilence(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* body;
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'UND_ERR_BODY_TIMEOUT') throw error;
    throw new StreamWentQuiet('nothing came for too long', { cause: error });
  }
}
