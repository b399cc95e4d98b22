import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fakeSession } from '@kurator/command/testing';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { runCommandLine } from '../program.ts';

let place: string;
beforeEach(async () => {
  place = await mkdtemp(join(tmpdir(), 'kurator-push-'));
  vi.stubEnv('XDG_CACHE_HOME', place);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(place, { recursive: true, force: true });
});

async function kurator(...args: string[]) {
  const session = fakeSession();
  await runCommandLine(args, session);
  return session.said;
}

async function archive(): Promise<string> {
  const path = join(place, 'web.tar');
  await writeFile(join(place, 'index.html'), 'hello');
  const { code, stderr } = await kurator('image', 'build', '--tag', 'web:v1', '--folder', place, '--archive', path);
  expect(code, stderr).toBe(0);
  return path;
}

/** One that lets nobody through; whom it was asked for is kept. */
async function proxy(): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = [];
  const server = createServer().on('connect', ({ url = '' }, socket) => {
    asked.push(url);
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

it('goes through the proxy that the environment names', async () => {
  const { url, asked } = await proxy();
  vi.stubEnv('HTTPS_PROXY', url);
  vi.stubEnv('https_proxy', '');
  vi.stubEnv('NO_PROXY', '');
  vi.stubEnv('no_proxy', '');
  const { code } = await kurator('push', await archive(), 'registry.invalid/demo/web:v1');
  expect(new Set(asked)).toEqual(new Set(['registry.invalid:443']));
  expect(code).toBe(1);
});

it('does not where NO_PROXY says so', async () => {
  const { url, asked } = await proxy();
  vi.stubEnv('HTTPS_PROXY', url);
  vi.stubEnv('https_proxy', '');
  vi.stubEnv('no_proxy', 'registry.invalid');
  expect((await kurator('push', await archive(), 'registry.invalid/demo/web:v1')).code).toBe(1);
  expect(asked).toEqual([]);
});
