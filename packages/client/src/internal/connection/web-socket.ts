import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import type { HttpAnswer } from '../http.ts';

/** What a WebSocket is opened with; the connection is already there, with TLS where it is wanted. */
export interface WebSocketRequest {
  readonly url: URL;
  readonly socket: Socket;
  readonly headers: Readonly<Record<string, string | string[]>>;
  /** In the order of preference. */
  readonly protocols: readonly string[];
  readonly signal: AbortSignal;
  /** Called right before anything is sent; what it throws closes the connection instead. */
  readonly guard: () => void;
}

// What the server may send in one message; it sends 32 KiB at most.
const LONGEST_MESSAGE = 16 * 1024 * 1024;
// More than this is no message of Kubernetes.
const LONGEST_REFUSAL = 64 * 1024;

/** Opens a WebSocket, paused: nothing comes before someone listens. Where the server refuses, its answer comes back instead. */
export async function openWebSocket(request: WebSocketRequest): Promise<WebSocket | HttpAnswer> {
  const { socket, signal } = request;
  // Most programs never open one: they shouldn't pay for it when they start.
  const { WebSocket } = await import('ws');
  try {
    request.guard();
  } catch (error) {
    socket.destroy();
    throw error;
  }
  const { promise, resolve, reject } = Promise.withResolvers<WebSocket | HttpAnswer>();
  const url = new URL(request.url);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  const webSocket = new WebSocket(url, [...request.protocols], {
    createConnection: () => socket,
    headers: { ...request.headers, 'user-agent': 'kurator' },
    perMessageDeflate: false,
    maxPayload: LONGEST_MESSAGE,
  });
  const abort = () => {
    socket.destroy();
    reject(signal.reason);
  };
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  webSocket.once('open', () => {
    webSocket.pause();
    resolve(webSocket);
  });
  webSocket.once('error', reject);
  webSocket.once('unexpected-response', (_, response) => {
    const answered = answerOf(response).finally(() => socket.destroy());
    answered.then(resolve, reject);
  });
  try {
    return await promise;
  } finally {
    signal.removeEventListener('abort', abort);
    webSocket.off('error', reject);
    // Without a listener, an error between now and the next listener would end the process.
    webSocket.on('error', () => {});
  }
}

async function answerOf(response: IncomingMessage): Promise<HttpAnswer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length <= LONGEST_REFUSAL) chunks.push(chunk);
  }
  return { status: response.statusCode ?? 0, headers: response.headers, text: Buffer.concat(chunks).toString('utf8') };
}
