// What the wire may do to a session: a loopback WebSocket server plays the other side. What a kubelet does is in e2e/.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { type Client, createClient } from '../../client.ts';
import { runInPod } from '../../run-in-pod.ts';
import { exitCodeFrom } from './program.ts';

const open: { server: WebSocketServer; client: Client }[] = [];
const pod = { name: 'web', namespace: 'default' };
const status = (fields: object) => `\x03${JSON.stringify({ kind: 'Status', ...fields })}`;
const success = status({ status: 'Success' });

async function serve(handler: (socket: WebSocket) => void, protocol = 'v5.channel.k8s.io', autoPong = true) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', handleProtocols: () => protocol, autoPong });
  server.on('connection', handler);
  await once(server, 'listening');
  const client = createClient({ server: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, token: 'abc' });
  open.push({ server, client });
  return client;
}

afterEach(async () => {
  for (const { server, client } of open.splice(0)) {
    await client.close();
    server.close();
  }
});

const errorOf = async (promise: Promise<unknown>) =>
  await promise.then(
    () => expect.unreachable(),
    (error) => error,
  );

describe('a session', () => {
  it('loses nothing that comes with the first packet', async () => {
    const client = await serve((socket) => {
      for (const message of ['\x01one', '\x02two', '\x01 three', success]) socket.send(Buffer.from(message));
      socket.close(1000);
    });
    expect(await runInPod(client, pod, ['x'])).toEqual({ exitCode: 0, stdout: 'one three', stderr: 'two' });
  });

  it('asks for what is wanted, with the token', async () => {
    let url = '';
    const client = await serve((socket) => {
      socket.send(Buffer.from(success));
      socket.close(1000);
    });
    open[0]?.server.on('headers', (_, request) => {
      url = `${request.url} ${request.headers.authorization}`;
    });
    await runInPod(client, pod, ['ls', '-l', 'a b'], { container: 'c' });
    expect(url).toBe(
      '/api/v1/namespaces/default/pods/web/exec?command=ls&command=-l&command=a%20b&container=c&stdin=false&stdout=true&stderr=true&tty=false Bearer abc',
    );
  });

  it('that goes quiet is noticed', async () => {
    const client = await serve(() => {}, 'v5.channel.k8s.io', false);
    expect(await errorOf(runInPod(client, pod, ['x'], { pingInterval: 50 }))).toMatchObject({
      code: 'KUR_CLIENT_TIMEOUT',
      message: 'exec x in Pod default/web: the connection went quiet: a ping was not answered',
    });
  });

  it('that says nothing for long lives as long as pings are answered', async () => {
    let pings = 0;
    const client = await serve((socket) =>
      socket.on('ping', () => {
        pings += 1;
        if (pings < 5) return;
        socket.send(Buffer.from(success));
        socket.close(1000);
      }),
    );
    expect(await runInPod(client, pod, ['x'], { pingInterval: 20 })).toMatchObject({ exitCode: 0 });
  });

  it.each([
    ['breaks', (socket: WebSocket) => socket.terminate(), /the connection broke/],
    ['is ended by a server that shuts down', (socket: WebSocket) => socket.close(1001), /WebSocket code 1001/],
    ['ends without saying how', (socket: WebSocket) => socket.close(1000), /without saying how/],
  ])('that %s is no success', async (_, end, message) => {
    const client = await serve(end);
    expect(await errorOf(runInPod(client, pod, ['x']))).toMatchObject({ message: expect.stringMatching(message) });
  });

  it('that broke after the program ended has its exit code', async () => {
    const client = await serve((socket) => socket.send(Buffer.from(success), () => socket.terminate()));
    const execution = await client.exec(pod, ['x']);
    expect(await execution.exitCode).toBe(0);
  });

  it('ends its input in the way of v5', async () => {
    const client = await serve((socket) => {
      const got: string[] = [];
      socket.on('message', (data: Buffer) => {
        got.push(data.toString('latin1'));
        if (data[0] !== 255) return;
        socket.send(Buffer.from(`\x01${JSON.stringify(got)}`));
        socket.send(Buffer.from(success));
        socket.close(1000);
      });
    });
    const { stdout } = await runInPod(client, pod, ['x'], { stdin: 'hi' });
    expect(JSON.parse(stdout)).toEqual(['\x00hi', '\xff\x00']);
  });

  it('with a server that only knows v4 says that input can not be ended', async () => {
    const client = await serve(() => {}, 'v4.channel.k8s.io');
    expect(await errorOf(runInPod(client, pod, ['x'], { stdin: 'hi' }))).toMatchObject({
      code: 'KUR_CLIENT_UNSUPPORTED',
      message: expect.stringContaining('1.30'),
    });
  });

  it('ends when the client is closed', async () => {
    const client = await serve(() => {});
    const execution = await client.exec(pod, ['x']);
    await client.close();
    expect(await errorOf(execution.exitCode)).toMatchObject({ code: 'KUR_CLIENT_UNREACHABLE' });
    expect(await errorOf(text(execution.stdout))).toBeInstanceOf(Error);
  });
});

describe('how a program ended', () => {
  const exit = (message: string) => ({ causes: [{ reason: 'ExitCode', message }] });

  it.each([
    [{ status: 'Success' }, 0],
    [{ status: 'Failure', reason: 'NonZeroExitCode', details: exit('137') }, 137],
  ])('%j is %i', (fields, code) => {
    expect(exitCodeFrom('exec x', JSON.stringify({ kind: 'Status', ...fields }))).toBe(code);
  });

  it('can be that it never began', () => {
    const failure = {
      kind: 'Status',
      status: 'Failure',
      reason: 'InternalError',
      message: 'no such program',
      code: 500,
    };
    expect(() => exitCodeFrom('exec x', JSON.stringify(failure))).toThrow('exec x: no such program');
    expect(() => exitCodeFrom('exec x', 'a sentence')).toThrow('exec x: a sentence');
  });
});
