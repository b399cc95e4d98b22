import { once } from 'node:events';
import { connect, isIPv6 } from 'node:net';

/** The address of this machine from which a server is reached, as it stands in a URL. */
export async function localAddress(server: string): Promise<string> {
  const { hostname, port, protocol } = new URL(server);
  const socket = connect({
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port) || (protocol === 'http:' ? 80 : 443),
    timeout: 5_000,
  });
  try {
    await Promise.race([once(socket, 'connect'), once(socket, 'timeout')]);
    const { localAddress = '127.0.0.1' } = socket;
    return isIPv6(localAddress) ? `[${localAddress}]` : localAddress;
  } finally {
    socket.destroy();
  }
}
