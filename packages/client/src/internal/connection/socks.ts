/** SOCKS 5 (RFC 1928, RFC 1929), as much of it as it takes to reach one address by its name. */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { Address } from './address.ts';

const VERSION = 5;
const NO_AUTHENTICATION = 0;
const PASSWORD = 2;
const BY_NAME = 3;
const addressLengths: Record<number, number> = { 1: 4, 4: 16 };

const refusals: Record<number, string> = {
  2: 'it does not allow that connection',
  3: 'it has no way to that network',
  4: 'it has no way to that host',
  5: 'nothing listens there',
};

export async function socksHandshake(
  socket: Socket,
  target: Address,
  credentials?: { user: string; password: string },
): Promise<void> {
  const methods = credentials ? [NO_AUTHENTICATION, PASSWORD] : [NO_AUTHENTICATION];
  socket.write(Buffer.from([VERSION, methods.length, ...methods]));
  const [version, method] = await take(socket, 2);
  if (version !== VERSION) throw new Error('it does not speak SOCKS 5');
  if (method === PASSWORD && credentials) await logIn(socket, credentials);
  else if (method !== NO_AUTHENTICATION) throw new Error('it wants a user and a password');

  const name = Buffer.from(target.host);
  socket.write(
    Buffer.concat([
      Buffer.from([VERSION, 1, 0, BY_NAME, name.length]),
      name,
      Buffer.from([target.port >> 8, target.port & 255]),
    ]),
  );
  const [, reply = -1, , kind = 0] = await take(socket, 4);
  if (reply !== 0) throw new Error(refusals[reply] ?? `it refuses (SOCKS reply ${reply})`);
  const length = kind === BY_NAME ? ((await take(socket, 1))[0] ?? 0) : (addressLengths[kind] ?? 0);
  await take(socket, length + 2);
}

async function logIn(socket: Socket, { user, password }: { user: string; password: string }): Promise<void> {
  const [name, secret] = [Buffer.from(user), Buffer.from(password)];
  socket.write(Buffer.concat([Buffer.from([1, name.length]), name, Buffer.from([secret.length]), secret]));
  const [, status] = await take(socket, 2);
  if (status !== 0) throw new Error('it refuses the user or the password');
}

/** Exactly this many bytes: what follows belongs to the one who uses the connection afterwards. */
async function take(socket: Socket, length: number): Promise<Uint8Array> {
  let taken: Buffer = Buffer.alloc(0);
  while (taken.length < length) {
    const chunk = socket.read() as Buffer | null;
    if (chunk) taken = Buffer.concat([taken, chunk]);
    else await untilReadable(socket);
  }
  if (taken.length > length) socket.unshift(taken.subarray(length));
  return taken.subarray(0, length);
}

async function untilReadable(socket: Socket): Promise<void> {
  if (socket.readableEnded || socket.destroyed) throw new Error('it closed the connection');
  const listening = new AbortController();
  const { signal } = listening;
  // The losers of the race are told to stop listening, and that they say so is no news.
  const events = ['readable', 'end', 'close'].map((event) => once(socket, event, { signal }));
  try {
    await Promise.race(events);
  } finally {
    listening.abort();
    await Promise.allSettled(events);
  }
}
