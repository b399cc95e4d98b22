import { hash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Interrupted } from '@kurator/command';
import { fakeSession } from '@kurator/command/testing';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { runCommandLine } from '../program.ts';

const project = join(import.meta.dirname, '..', '..', 'test', 'support', 'gadget');

let cache: string;
beforeEach(async () => {
  cache = await mkdtemp(join(tmpdir(), 'kur-'));
  vi.stubEnv('XDG_CACHE_HOME', cache);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(cache, { recursive: true, force: true });
});

/** The first byte of a client that wants to speak TLS. */
const TLS_HANDSHAKE = 0x16;

/** A registry over plain HTTP. Its name is one of this machine that is not taken for it, so it has to be said that it is. */
async function registryOf(answers: Readonly<Record<string, string>>, heard: (how: 'TLS' | 'HTTP') => void) {
  const http = createHttpServer(({ url = '' }, response) => {
    const text = answers[url.replace('/v2/demo/', '')];
    response.writeHead(text === undefined ? 404 : 200).end(text);
  });
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', (first) => {
      const isTls = first[0] === TLS_HANDSHAKE;
      heard(isTls ? 'TLS' : 'HTTP');
      if (isTls) return void socket.destroy();
      socket.pause();
      http.emit('connection', socket);
      socket.unshift(first);
      socket.resume();
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.close();
    http.closeAllConnections();
  });
  return `0.0.0.0:${(server.address() as AddressInfo).port}`;
}

/** How each registry is spoken to, until that fails or the image is being pushed. */
async function spoken(...flags: string[]): Promise<Record<string, string>> {
  const ways: Record<string, string> = {};
  const ending = new AbortController();
  const rootfs = { type: 'layers', diff_ids: [] };
  const platform = { os: 'linux', architecture: process.arch === 'x64' ? 'amd64' : process.arch };
  const config = JSON.stringify({ ...platform, config: { Entrypoint: ['/usr/bin/node'] }, rootfs });
  const digest = `sha256:${hash('sha256', config)}`;
  const mediaType = 'application/vnd.oci.image.config.v1+json';
  const manifest = JSON.stringify({ schemaVersion: 2, config: { mediaType, digest, size: config.length }, layers: [] });
  const base = await registryOf({ 'base/manifests/v1': manifest, [`base/blobs/${digest}`]: config }, (how) => {
    ways.base = how;
    if (how === 'TLS') ending.abort(new Interrupted('SIGINT'));
  });
  const pushed = await registryOf({}, (how) => {
    ways.pushed = how;
    ending.abort(new Interrupted('SIGINT'));
  });
  const args = ['--base', `${base}/demo/base:v1`, '--tag', `${pushed}/demo/gadget:v1`, '--push', ...flags];
  const session = { ...fakeSession(), signal: ending.signal };
  await runCommandLine(['build', project, ...args], session);
  expect(ending.signal.aborted, session.said.stderr).toBe(true);
  return ways;
}

describe('kurator build', () => {
  it.each([
    [[], { base: 'TLS' }],
    [['--insecure'], { base: 'TLS' }],
    [['--insecure-base'], { base: 'HTTP', pushed: 'TLS' }],
    [['--insecure-base', '--insecure'], { base: 'HTTP', pushed: 'HTTP' }],
  ])('speaks plain HTTP only to the registry that is said to want it: %j', async (flags, ways) => {
    expect(await spoken(...flags)).toEqual(ways);
  });
});
