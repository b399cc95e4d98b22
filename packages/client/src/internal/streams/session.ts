import type { WebSocket } from 'ws';
import { ClientError } from '../../error.ts';
import type { Guard } from '../../options.ts';
import { refusal } from '../answer.ts';
import { startDeadline } from '../deadline.ts';
import type { ApiRequest } from '../requests.ts';
import type { Transport } from '../transport.ts';
import { type Channels, openChannels } from './channels.ts';

/** What every session over a WebSocket takes. */
export interface SessionOptions {
  signal?: AbortSignal | undefined;
  timeout?: number;
  pingInterval?: number;
  guard?: Guard | undefined;
}

/** How a kind of session speaks. */
export interface SessionKind {
  /** In the order of preference. */
  readonly protocols: readonly string[];
  /** The channels on which the server speaks. */
  readonly incoming: readonly number[];
}

const OPEN_TIMEOUT = 30_000;
const PING_INTERVAL = 30_000;

/** Opens a session; where the server refuses, its reason is thrown. */
export async function openSession(
  transport: Transport,
  request: ApiRequest,
  { protocols, incoming }: SessionKind,
  options: SessionOptions,
): Promise<Channels> {
  const { doing } = request;
  const { signal, timeout = OPEN_TIMEOUT, pingInterval = PING_INTERVAL, guard } = options;
  const deadline = startDeadline(timeout, signal);
  try {
    const opened = await transport.webSocket({ ...request, guard }, protocols, deadline);
    if ('status' in opened) throw refusal(request, opened);
    if (!protocols.includes(opened.protocol)) throw strangeProtocol(doing, opened);
    return openChannels(opened, { doing, signal, incoming, pingInterval });
  } finally {
    deadline.end();
  }
}

function strangeProtocol(doing: string, socket: WebSocket): ClientError {
  socket.terminate();
  return new ClientError(
    'KUR_CLIENT_UNSUPPORTED',
    `${doing}: the server chose the protocol "${socket.protocol}", which nobody offered`,
  );
}
