import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { freePort } from '@kurator/testenv';
import { describe, expect, it } from 'vitest';
import { rawServer } from '../../../../test/support/checks/raw-server.ts';
import { patiently, runProbe } from '../../../../test/support/checks/run-probe.ts';

describe('a TCP check', () => {
  it('is healthy when a connection opens, and says how long that took', async () => {
    await using server = await rawServer(() => {});
    const finding = await runProbe({ kind: 'tcp', host: server.host, port: server.port }, patiently);
    expect(finding).toMatchObject({ outcome: 'healthy', message: '' });
    expect(finding.connectMs).toBeGreaterThan(0);
  });

  it('fails where nobody listens', async () => {
    const finding = await runProbe({ kind: 'tcp', host: '127.0.0.1', port: await freePort() }, patiently);
    expect(finding).toMatchObject({ outcome: 'failing', errorKind: 'refused' });
    expect(finding.connectMs).toBeUndefined();
  });

  it.each([
    ['greets', (socket: Socket) => socket.write('220 hello\r\n')],
    ['hangs up at once', (socket: Socket) => socket.end()],
  ])('does not mind a server that %s', async (_, serve) => {
    await using server = await rawServer(serve);
    const finding = await runProbe({ kind: 'tcp', host: server.host, port: server.port }, patiently);
    expect(finding).toMatchObject({ outcome: 'healthy' });
  });

  it.each([
    ['clean', 'an end'],
    ['reset', 'a reset'],
  ] as const)('closes %s: the server sees %s', async (close, seen) => {
    const { promise, resolve } = Promise.withResolvers<string>();
    await using server = await rawServer((socket) => {
      socket.on('end', () => resolve('an end'));
      socket.on('error', () => resolve('a reset'));
    });
    await runProbe({ kind: 'tcp', host: server.host, port: server.port, close }, patiently);
    expect(await promise).toBe(seen);
  });

  it('fails when nothing answers the opening in time', async () => {
    // Its backlog is soon full, and the kernel drops what would open more connections.
    const hanging = spawn(process.execPath, [
      '-e',
      `const server = require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
         require('node:fs').writeSync(1, String(server.address().port));
         Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
       });`,
    ]);
    try {
      const [port] = (await once(hanging.stdout, 'data')) as [Buffer];
      const probe = { kind: 'tcp', host: '127.0.0.1', port: Number(port) } as const;
      const findings = await Promise.all(Array.from({ length: 8 }, () => runProbe(probe)));
      expect(findings.at(-1)).toMatchObject({ outcome: 'failing', errorKind: 'connect-timeout' });
    } finally {
      hanging.kill('SIGKILL');
    }
  });
});

describe("the checker's own trouble", () => {
  it('reads unknown without a route', async () => {
    // The kernel opens no connection to a group, and sends no packet to find out.
    const finding = await runProbe({ kind: 'tcp', host: '224.0.0.1', port: 80 }, patiently);
    expect(finding).toMatchObject({ outcome: 'unknown', errorKind: 'checker-route' });
  });

  it('reads unknown without file descriptors, and never failing', async () => {
    await using server = await rawServer(() => {});
    const program = new URL('../../../../test/support/checks/many-probes.ts', import.meta.url).pathname;
    const child = spawn('sh', ['-c', 'ulimit -n 60; exec "$0" "$@"', process.execPath, program, String(server.port)]);
    let printed = '';
    child.stdout.on('data', (chunk) => {
      printed += chunk;
    });
    await once(child, 'close');
    const kinds = JSON.parse(printed) as Record<string, number>;
    expect(kinds['checker-files']).toBeGreaterThan(0);
    expect(Object.keys(kinds).sort()).toEqual(['checker-files', 'healthy']);
  });

  it('reads unknown when the name can not be resolved', async () => {
    const finding = await runProbe({ kind: 'tcp', host: 'nobody.invalid', port: 80 }, { within: 3000 });
    expect(finding).toMatchObject({ outcome: 'unknown', errorKind: 'checker-dns' });
  });

  it.each([
    [{ host: '', port: 80 }, 'host'],
    [{ host: 'a b', port: 80 }, 'host'],
    [{ host: '127.0.0.1', port: 0 }, 'port'],
    [{ host: '127.0.0.1', port: 1.5 }, 'port'],
  ])('reads unknown when the check makes no sense: %j', async (endpoint, field) => {
    const finding = await runProbe({ kind: 'tcp', ...endpoint });
    expect(finding).toMatchObject({ outcome: 'unknown', errorKind: 'invalid-check' });
    expect(finding.message).toContain(field);
  });
});
