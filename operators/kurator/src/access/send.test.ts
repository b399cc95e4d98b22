import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { AddressRefused, Reach } from './reach.ts';
import { send } from './send.ts';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

async function serving(answer: RequestListener) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { asked, port: (server.address() as AddressInfo).port };
}
const request = () => ({ body: '{}', headers: new Headers(), signal: AbortSignal.timeout(5000) });
const here = new Reach({ allow: ['127.0.0.0/8'] });

describe('a POST', () => {
  it.each(['127.0.0.1', 'localhost', '2130706433', '[::ffff:127.0.0.1]'])('to %s is not sent', async (host) => {
    const { asked, port } = await serving((_, response) => response.end());
    await expect(send(`http://${host}:${port}/`, request(), new Reach())).rejects.toBeInstanceOf(AddressRefused);
    expect(asked).toEqual([]);
  });

  it('follows no redirect, to wherever it leads', async () => {
    const { asked, port } = await serving((_, response) => response.writeHead(307, { location: '/next' }).end());
    expect(await send(`http://localhost:${port}/first`, request(), here)).toMatchObject({ status: 307 });
    expect(asked).toEqual(['/first']);
  });

  it('waits for no end of an answer', async () => {
    const { port } = await serving((_, response) => void response.writeHead(200, { 'retry-after': '3' }).write('…'));
    const answered = await send(`http://127.0.0.1:${port}/`, request(), here);
    expect(answered).toEqual({ status: 200, retryAfter: '3' });
  });
});
