/**
 * Passes TCP connections on after a while. Run as `delay-proxy.ts ADDRESS PORT MILLISECONDS` inside the network that
 * it delays; it prints the port that it listens on. On SIGTERM it delays nothing any more, takes no new connections,
 * and ends as soon as those it has are over: healing a fault must not break what runs through it.
 */
import { connect, createServer, type Socket } from 'node:net';

const [address = '', port = '', milliseconds = ''] = process.argv.slice(2);

const waiting = new Set<() => void>();

function passOn(client: Socket): void {
  client.pause();
  client.on('error', () => client.destroy());
  const wait = setTimeout(() => go(), Number(milliseconds));
  waiting.add(go);

  function go(): void {
    clearTimeout(wait);
    waiting.delete(go);
    if (client.destroyed) return;
    const server = connect({ host: address, port: Number(port), allowHalfOpen: true });
    server.on('error', () => client.resetAndDestroy());
    client.on('error', () => server.destroy());
    client.pipe(server).pipe(client);
  }
}

const proxy = createServer({ allowHalfOpen: true, noDelay: true }, passOn);
proxy.listen(0, '0.0.0.0', () => {
  const bound = proxy.address();
  if (bound && typeof bound === 'object') process.stdout.write(`${bound.port}\n`);
});

process.on('SIGTERM', () => {
  proxy.close();
  for (const go of waiting) go();
});
