import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createHttpServer, json, type Route, text } from './http-server.ts';

async function serve(routes: Record<string, Route>) {
  const server = createHttpServer(routes, { host: '127.0.0.1', port: 0 });
  const url = await server.listen();
  onTestFinished(() => server.close());
  return url;
}

describe('the HTTP server', () => {
  it('answers what it knows, and says what that is', async () => {
    const url = await serve({ '/a': () => json(200, { b: 1 }), '/b': ({ query }) => text(200, query.get('x') ?? '') });
    const a = await fetch(`${url}/a/?y=1`);
    expect(await a.json()).toEqual({ b: 1 });
    expect(a.headers.get('cache-control')).toBe('no-store');
    expect(await (await fetch(`${url}/b?x=%3C`)).text()).toBe('<\n');
    const unknown = await fetch(`${url}/constructor`);
    expect([unknown.status, await unknown.text()]).toEqual([404, 'there is only /a, /b\n']);
  });

  it('lets nobody change anything', async () => {
    const url = await serve({ '/a': () => text(200, 'a') });
    const answer = await fetch(`${url}/a`, { method: 'POST', body: 'x' });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    const head = await fetch(`${url}/a`, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
  });

  it('survives a route that throws', async () => {
    const url = await serve({ '/a': () => Promise.reject(new Error('boom')) });
    const answer = await fetch(`${url}/a`);
    expect([answer.status, await answer.text()]).toEqual([500, 'boom\n']);
  });

  it('knows who asks from the machine itself, and under its own name', async () => {
    const url = await serve({ '/a': ({ local }) => text(200, String(local)) });
    const ask = (host?: string) =>
      new Promise<string>((resolve) => {
        request(`${url}/a`, host === undefined ? {} : { headers: { host } }, (response) =>
          response.setEncoding('utf8').on('data', resolve),
        ).end();
      });
    expect(await ask()).toBe('true\n');
    expect(await ask('localhost:1')).toBe('true\n');
    expect(await ask('evil.example')).toBe('false\n');
    expect(await ask('127.0.0.1.evil.example')).toBe('false\n');
  });

  it('says what to do when the port is taken', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void other.close());
    const { port } = other.address() as AddressInfo;
    const listening = createHttpServer({}, { host: '127.0.0.1', port }).listen();
    await expect(listening).rejects.toMatchObject({
      code: 'KUR_RUNTIME_LISTEN',
      message: expect.stringContaining(`127.0.0.1:${port}`),
      remedy: expect.stringContaining('http.port'),
    });
  });
});
