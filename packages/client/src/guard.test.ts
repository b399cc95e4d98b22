// A request that may go out no more must not: whatever it waited for in between.
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type Client, createClient } from './client.ts';
import { ConfigMap } from './generated/core/v1.ts';

const open: { server: Server; client: Client }[] = [];

afterEach(async () => {
  for (const { server, client } of open.splice(0)) {
    await client.close();
    server.closeAllConnections();
    server.close();
  }
});

/** A server that answers each request by the next of `answers`, the last one again and again. */
async function serving(...answers: ((response: ServerResponse) => void)[]) {
  const paths: string[] = [];
  const server = createServer((request, response) => {
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    paths.push(`${request.method} ${request.url?.split('?')[0]?.split('/').at(-1)}`);
    answer?.(response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const client = createClient({ server: `http://127.0.0.1:${port}` });
  open.push({ server, client });
  return { client, paths };
}

const fine = (response: ServerResponse) =>
  response.writeHead(200, { 'content-type': 'application/json' }).end('{"metadata":{"name":"a"}}');
const busy = (response: ServerResponse) => response.writeHead(429, { 'retry-after': '0' }).end();
const map = (name: string) => ({ metadata: { name, namespace: 'default' } });
const notLeader = new Error('not the leader any more');

describe('a guard', () => {
  it('lets a request out, and is asked before each time that it is sent', async () => {
    const { client, paths } = await serving(busy, busy, fine);
    let asked = 0;
    await client.replace(ConfigMap, map('a'), { guard: () => asked++ });
    expect(paths).toEqual(['PUT a', 'PUT a', 'PUT a']);
    expect(asked).toBe(3);
  });

  it('keeps a request from being sent, and says so in its own words', async () => {
    const { client, paths } = await serving(fine);
    const guard = () => {
      throw notLeader;
    };
    await expect(client.create(ConfigMap, map('a'), { guard })).rejects.toBe(notLeader);
    await expect(client.delete(ConfigMap, map('b').metadata, { guard })).rejects.toBe(notLeader);
    expect(await client.get(ConfigMap, map('c').metadata)).toMatchObject({ metadata: { name: 'a' } });
    expect(paths).toEqual(['GET c']);
  });

  it('keeps it from being sent again', async () => {
    const { client, paths } = await serving(busy);
    let asked = 0;
    const guard = () => {
      asked += 1;
      if (asked === 3) throw notLeader;
    };
    await expect(client.create(ConfigMap, map('a'), { guard })).rejects.toBe(notLeader);
    expect(paths).toEqual(['POST configmaps', 'POST configmaps']);
  });
});

it('asks only when a connection was found for the request', async () => {
  const held: ServerResponse[] = [];
  const { client, paths } = await serving((response) => held.push(response));
  const others = Array.from({ length: 32 }, async (_, i) => await client.get(ConfigMap, map(`${i}`).metadata));
  await expect.poll(() => held.length).toBe(32);
  let leads = true;
  const guard = () => {
    if (!leads) throw notLeader;
  };
  const refused = expect(client.create(ConfigMap, map('late'), { guard })).rejects.toBe(notLeader);
  leads = false;
  for (const response of held) fine(response);
  await Promise.all([refused, ...others]);
  expect(paths.filter((path) => path.startsWith('POST'))).toEqual([]);
});

it('keeps a command from being run', async () => {
  const { client, paths } = await serving(fine);
  const guard = () => {
    throw notLeader;
  };
  await expect(client.exec(map('a').metadata, ['true'], { guard })).rejects.toBe(notLeader);
  await expect(client.attach(map('a').metadata, { guard })).rejects.toBe(notLeader);
  expect(paths).toEqual([]);
});
