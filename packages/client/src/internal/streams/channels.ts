/**
 * Several streams of bytes on one WebSocket, as the API server has them (v5.channel.k8s.io and before): the first byte of
 * each message says which stream the rest belongs to.
 */
import { Readable, Writable } from 'node:stream';
import type { RawData, WebSocket } from 'ws';
import { ClientError } from '../../error.ts';

/** The streams of one session. */
export interface Channels {
  readonly protocol: string;
  /** What comes in on each channel, in the order of `incoming`. A full one stops the others too: read them all. */
  readonly incoming: readonly Readable[];
  /** What goes out on a channel; ending it tells the other side, where the protocol can (see `canHalfClose`). */
  writable(channel: number): Writable;
  /** Whether the end of an outgoing channel can be told to the other side. */
  readonly canHalfClose: boolean;
  /** Sends a message by itself. */
  send(channel: number, data: string | Uint8Array): void;
  /** Settles when the session is over: rejects when the connection broke. */
  readonly closed: Promise<void>;
  close(reason?: unknown): void;
}

export interface ChannelsOptions {
  /** What is being done, in words, for messages. */
  readonly doing: string;
  readonly signal?: AbortSignal | undefined;
  /** The channels on which something may come in; what comes on others is dropped. */
  readonly incoming: readonly number[];
  /** Milliseconds between pings. */
  readonly pingInterval: number;
}

const V5 = 'v5.channel.k8s.io';
/** In v5, this channel carries the number of a channel that ends. */
const CLOSE = 255;
/** Closed as agreed, with or without saying so. */
const goodEnds = new Set([1000, 1005]);
// The server reads in pieces of this size.
const LONGEST_PIECE = 32 * 1024;

export function openChannels(socket: WebSocket, options: ChannelsOptions): Channels {
  const { doing, signal } = options;
  const { promise: closed, resolve, reject } = Promise.withResolvers<void>();
  closed.catch(() => {});
  const readables = new Map<number, Readable>();
  const full = new Set<number>();
  let failure: unknown;

  const close = (reason?: unknown) => {
    failure ??= reason;
    if (reason === undefined) socket.close();
    else socket.terminate();
  };
  const stopPinging = keepAlive(socket, options.pingInterval, () => close(wentQuiet(doing)));
  const onAbort = () => close(signal?.reason);
  if (signal?.aborted) onAbort();
  signal?.addEventListener('abort', onAbort, { once: true });

  const open = (channel: number) => {
    const goOn = () => {
      full.delete(channel);
      if (full.size === 0) socket.resume();
    };
    const stream = new Readable({
      read: goOn,
      destroy(error, done) {
        goOn();
        done(error);
      },
    });
    // A stream that nobody reads may fail without anyone being told: `closed` tells.
    stream.on('error', () => {});
    readables.set(channel, stream);
    return stream;
  };
  const receive = (message: Buffer) => {
    const [channel = 0, subject = 0] = message;
    if (channel === CLOSE) {
      readables.get(subject)?.push(null);
      return;
    }
    // An empty message opens a channel, and says nothing.
    const stream = readables.get(channel);
    if (!stream || message.length < 2 || stream.push(message.subarray(1))) return;
    full.add(channel);
    socket.pause();
  };
  socket.on('message', (data) => receive(bytesOf(data)));
  socket.on('error', (error) => {
    failure ??= error;
  });
  socket.on('close', (code) => {
    stopPinging();
    signal?.removeEventListener('abort', onAbort);
    if (!goodEnds.has(code)) failure ??= broke(doing, code);
    for (const stream of readables.values()) end(stream, failure);
    if (failure === undefined) resolve();
    else reject(failure);
  });

  const incoming = options.incoming.map(open);
  // It was opened paused.
  socket.resume();
  return {
    protocol: socket.protocol,
    incoming,
    canHalfClose: socket.protocol === V5,
    closed,
    close,
    send: (channel, data) => socket.send(frame(channel, data)),
    writable: (channel) => outgoing(socket, channel),
  };
}

function outgoing(socket: WebSocket, channel: number): Writable {
  const stream = new Writable({
    highWaterMark: LONGEST_PIECE,
    write(chunk: Buffer, _, done) {
      for (let start = LONGEST_PIECE; start < chunk.length; start += LONGEST_PIECE) {
        socket.send(frame(channel, chunk.subarray(start - LONGEST_PIECE, start)));
      }
      const last = chunk.subarray(
        chunk.length - (chunk.length % LONGEST_PIECE || Math.min(chunk.length, LONGEST_PIECE)),
      );
      // Called once the bytes are on their way: whoever writes faster than the network is made to wait.
      socket.send(frame(channel, last), done);
    },
    final(done) {
      if (socket.protocol !== V5 || socket.readyState !== socket.OPEN) return done();
      socket.send(Buffer.from([CLOSE, channel]), done);
    },
  });
  stream.on('error', () => {});
  return stream;
}

function frame(channel: number, data: string | Uint8Array): Buffer {
  return Buffer.concat([Buffer.from([channel]), Buffer.from(data as Uint8Array)]);
}

function bytesOf(data: RawData): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data);
  return Buffer.isBuffer(data) ? data : Buffer.from(data);
}

function end(stream: Readable, failure: unknown): void {
  if (failure === undefined) stream.push(null);
  // What has come before the end is still to be read, and its own end may have come too.
  else if (!stream.readableEnded) stream.destroy(failure instanceof Error ? failure : new Error(String(failure)));
}

function wentQuiet(doing: string): ClientError {
  return new ClientError('KUR_CLIENT_TIMEOUT', `${doing}: the connection went quiet: a ping was not answered`);
}

function broke(doing: string, code: number): ClientError {
  const why = code === 1006 ? 'the connection broke' : `the server ended the session (WebSocket code ${code})`;
  return new ClientError('KUR_CLIENT_UNREACHABLE', `${doing}: ${why}`);
}

/**
 * Pings, and calls `onDead` when no answer comes before the next ping is due: a session may be silent for hours, and
 * only this tells a quiet one from a dead one. It also keeps proxies from closing it. Returns how to stop.
 */
function keepAlive(socket: WebSocket, interval: number, onDead: () => void): () => void {
  let answered = true;
  const onPong = () => {
    answered = true;
  };
  const timer = setInterval(() => {
    if (!answered) return onDead();
    answered = false;
    socket.ping();
  }, interval);
  socket.on('pong', onPong);
  return () => {
    clearInterval(timer);
    socket.off('pong', onPong);
  };
}
