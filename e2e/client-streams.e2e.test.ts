/** Talking to programs in real containers: exec, attach, ports and files, through a real API server and kubelet. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type Client, copyFromPod, copyToPod, listenForPod, runInPod } from '@kurator/client';
import { busyboxImage, type Cluster, createCluster } from '@kurator/testenv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startPod } from './support/pods.ts';

let cluster: Cluster;
let client: Client;
let folder: string;
const pod = { name: 'shell', namespace: 'default' };
const echo = { name: 'echo', namespace: 'default' };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'client-streams-'));
  ({ cluster } = await createCluster({ name: 'client-exec', nodes: 1 }));
  await cluster.load((await busyboxImage()).path);
  client = await cluster.client();
  await startPod(client, { name: pod.name, node: 'n1', script: 'nc -ll -p 8080 -e cat & exec sleep 100000' });
  await startPod(client, {
    name: echo.name,
    node: 'n1',
    script: 'while read line; do echo "got $line"; done',
    container: { stdin: true } as never,
  });
});
afterAll(async () => {
  await client?.close();
  await cluster?.down();
  await rm(folder, { recursive: true, force: true });
});

const errorOf = async (promise: Promise<unknown>) =>
  await promise.then(
    () => expect.unreachable(),
    (error) => error,
  );
const sh = async (script: string, stdin?: string) =>
  await runInPod(client, pod, ['sh', '-c', script], stdin === undefined ? {} : { stdin });

describe('exec', () => {
  it('tells output, complaints and exit code apart', async () => {
    expect(await sh('echo out; echo err >&2; exit 3')).toEqual({ exitCode: 3, stdout: 'out\n', stderr: 'err\n' });
    expect(await sh('true')).toEqual({ exitCode: 0, stdout: '', stderr: '' });
  });

  it('tells the program when its input ends, and still gets what it says after that', async () => {
    expect(await sh('wc -c; echo done', '雪'.repeat(100_000))).toMatchObject({ stdout: '300000\ndone\n', exitCode: 0 });
  });

  it('brings back every byte, however slowly it is read, without piling it up', async () => {
    const size = 24 * 2 ** 20;
    const execution = await client.exec(pod, ['head', '-c', String(size), '/dev/zero']);
    // Nothing is read yet. While others come and go, all of it could have come; only as much as the stream holds has.
    for (let index = 0; index < 5; index += 1) await sh('true');
    expect(execution.stdout.readableLength).toBeGreaterThan(0);
    expect(execution.stdout.readableLength).toBeLessThan(256 * 1024);
    let length = 0;
    for await (const chunk of execution.stdout) length += chunk.length;
    expect(length).toBe(size);
    expect(await execution.exitCode).toBe(0);
  });

  it('waits for the program to take its input', async () => {
    const execution = await client.exec(pod, ['sh', '-c', 'sleep 1; cat | wc -c'], { stdin: true });
    const chunk = Buffer.alloc(64 * 1024);
    let written = 0;
    for (let index = 0; index < 160; index += 1) {
      if (!execution.stdin.write(chunk)) await once(execution.stdin, 'drain');
      written += chunk.length;
    }
    execution.stdin.end();
    expect(Number(await text(execution.stdout))).toBe(written);
  });

  it('has a terminal where one is asked for', async () => {
    const execution = await client.exec(pod, ['sh', '-c', 'sleep 0.5; stty size; tty >/dev/null && echo terminal'], {
      tty: true,
      stdin: true,
    });
    execution.resize({ columns: 123, rows: 45 });
    expect(await text(execution.stdout)).toBe('45 123\r\nterminal\r\n');
  });

  it('is broken off by its signal', async () => {
    const controller = new AbortController();
    const { exitCode, stdout } = await client.exec(pod, ['sleep', '1000'], { signal: controller.signal });
    controller.abort(new Error('enough'));
    expect(await errorOf(exitCode)).toEqual(new Error('enough'));
    expect(await errorOf(text(stdout))).toEqual(new Error('enough'));
  });

  it.each([
    ['a program that is not there', pod, ['no-such-program'], {}, /no-such-program/],
    [
      'a pod that is not there',
      { ...pod, name: 'nobody' },
      ['true'],
      {},
      /^exec true in Pod default\/nobody: pods "nobody" not found/,
    ],
    ['a container that is not there', pod, ['true'], { container: 'nobody' }, /container nobody is not valid/],
  ])('says clearly what is wrong with %s', async (_, where, command, options, message) => {
    expect(await errorOf(runInPod(client, where, command, options))).toMatchObject({
      name: 'ClientError',
      message: expect.stringMatching(message),
    });
  });

  it('many at once are no trouble', async () => {
    const runs = await Promise.all(Array.from({ length: 12 }, (_, index) => sh(`echo ${index}; exit ${index}`)));
    expect(runs.map(({ stdout, exitCode }) => [Number(stdout), exitCode])).toEqual(
      runs.map((_, index) => [index, index]),
    );
  });
});

it('attach talks to the program that runs', async () => {
  const session = await client.attach(echo, { stdin: true, stderr: false });
  session.stdin.write('one\n');
  for await (const chunk of session.stdout) {
    expect(String(chunk)).toBe('got one\n');
    break;
  }
  session.close();
});

describe('a port of a pod', () => {
  it('is a connection', async () => {
    const connection = await client.portForward(pod, 8080);
    const data = randomBytes(1_000_000);
    connection.write(data);
    let back = Buffer.alloc(0);
    for await (const chunk of connection) {
      back = Buffer.concat([back, chunk]);
      if (back.length >= data.length) break;
    }
    expect(back.equals(data)).toBe(true);
  });

  it('is a local port for any number of connections', async () => {
    await using listener = await listenForPod(client, pod, 8080);
    const talk = async (words: string) => {
      const socket = connect(listener.port, listener.host);
      socket.write(words);
      const [answer] = await once(socket, 'data');
      socket.destroy();
      return String(answer);
    };
    expect(await Promise.all(['a', 'b', 'c', 'd'].map(talk))).toEqual(['a', 'b', 'c', 'd']);
  });

  it('on which nothing listens is an error', async () => {
    const errors: unknown[] = [];
    await using listener = await listenForPod(client, pod, 9, { onError: (error) => errors.push(error) });
    const socket = connect(listener.port, listener.host);
    await once(socket, 'close');
    await expect.poll(() => errors).toMatchObject([{ message: expect.stringMatching(/port 9 .*refused/s) }]);
  });
});

describe('copying', () => {
  it('in and out gives back what went in', async () => {
    const source = join(folder, 'source');
    await mkdir(join(source, 'deep', 'er'), { recursive: true });
    const data = randomBytes(3_000_000);
    await writeFile(join(source, 'data'), data);
    await writeFile(join(source, 'deep', 'er', 'tool'), '#!/bin/sh\necho hi\n', { mode: 0o755 });
    await writeFile(join(source, 'empty'), '');
    await symlink('data', join(source, 'link'));
    await copyToPod(client, pod, source, '/tmp/some/where');
    expect(await sh('cd /tmp/some/where; deep/er/tool; readlink link; cat link | wc -c')).toMatchObject({
      stdout: 'hi\ndata\n3000000\n',
    });
    const target = join(folder, 'target');
    await copyFromPod(client, pod, '/tmp/some/where', target);
    expect((await readFile(join(target, 'data'))).equals(data)).toBe(true);
    expect((await stat(join(target, 'deep', 'er', 'tool'))).mode & 0o111).toBe(0o111);
    expect((await stat(join(target, 'empty'))).size).toBe(0);
    await expect(stat(join(target, 'link'))).rejects.toThrow(/ENOENT/);
  });

  it('takes one file', async () => {
    await writeFile(join(folder, 'one'), 'content');
    await copyToPod(client, pod, join(folder, 'one'), '/tmp/renamed');
    await copyFromPod(client, pod, '/tmp/renamed', join(folder, 'back'));
    expect(await readFile(join(folder, 'back'), 'utf8')).toBe('content');
  });

  it('says what is not there', async () => {
    const error = await errorOf(copyFromPod(client, pod, '/no/where', join(folder, 'x')));
    expect(error).toMatchObject({ code: 'KUR_CLIENT_REFUSED', message: expect.stringContaining('No such file') });
    expect(await errorOf(copyToPod(client, pod, join(folder, 'nothing'), '/tmp/x'))).toMatchObject({ code: 'ENOENT' });
  });
});
