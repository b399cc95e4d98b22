import { Duplex, type Readable } from 'node:stream';
import { ClientError } from '../../error.ts';
import type { Channels } from './channels.ts';
import type { SessionKind } from './session.ts';

const DATA = 0;

/** The kubelet knows no later protocol for ports. Channels: data, what went wrong. */
export const portSession: SessionKind = { protocols: ['v4.channel.k8s.io'], incoming: [0, 1] };

// Each channel begins with the port's number, which we know.
const PREFIX = 2;

/** One connection as a stream. The protocol can't say that only one side has ended: ending it ends both. */
export function connectionOf(doing: string, channels: Channels): Duplex {
  const outgoing = channels.writable(DATA);
  const [incoming, trouble] = channels.incoming as [Readable, Readable];
  let failure = '';
  let prefix = 0;
  trouble.on('data', (chunk: Buffer) => {
    failure += chunk.subarray(Math.max(0, PREFIX - prefix)).toString('utf8');
    prefix += chunk.length;
  });
  const connection = Duplex.from({ writable: outgoing, readable: withoutPrefix(incoming) });
  channels.closed.then(
    () =>
      failure && connection.destroy(new ClientError('KUR_CLIENT_UNREACHABLE', `${doing}: ${failure.slice(0, 500)}`)),
    (error: Error) => connection.destroy(error),
  );
  connection.once('close', () => channels.close());
  return connection;
}

async function* withoutPrefix(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  let skip = PREFIX;
  for await (const chunk of chunks) {
    const rest = chunk.subarray(Math.min(skip, chunk.length));
    skip -= chunk.length - rest.length;
    if (rest.length > 0) yield rest;
  }
}
