/** An agent over real connections: who is answered, and who is not. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { answering, rawServer } from '../../../test/support/checks/raw-server.ts';
import { askAgent } from './ask-agent.ts';
import { type Address, measurePath, type Opening, questionBytes, signatureHeader, signatureOf } from './message.ts';
import { type AgentOptions, createAgent } from './serve-agent.ts';

const key = 'k'.repeat(32);
const somewhere: Address = { host: '10.0.0.1', port: 80 };
const quick: Opening[][] = [[[1, 0.5, true]]];

async function agentWith(measure: AgentOptions['measure'] = async () => quick): Promise<Address> {
  const server = createAgent({ key, measure });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { host: '127.0.0.1', port: (server.address() as AddressInfo).port };
}

async function post({ host, port }: Address, body: string, signature = signatureOf('operator', body, key)) {
  const headers = { [signatureHeader]: signature };
  const { status } = await fetch(`http://${host}:${port}${measurePath}`, { method: 'POST', body, headers });
  return status;
}

describe('an agent', () => {
  it('measures real connections: those that open, and none where nobody listens', async () => {
    await using server = await rawServer((socket) => socket.resume());
    const agent = createAgent({ key });
    agent.listen(0, '127.0.0.1');
    await once(agent, 'listening');
    onTestFinished(() => void agent.close());
    const here = { host: '127.0.0.1', port: (agent.address() as AddressInfo).port };
    const nobody = await rawServer(() => {});
    const { host, port } = nobody;
    await nobody[Symbol.asyncDispose]();
    const [open = [], refused] = (await askAgent(here, [server, { host, port }], key)) ?? [];
    expect(open.length).toBeGreaterThan(20);
    expect(open.every(([ago, , opened]) => opened && ago < 60_000)).toBe(true);
    expect(refused).toEqual([]);
  });

  it('refuses who does not have the key, and what is no question', async () => {
    const agent = await agentWith();
    const question = JSON.stringify({ nonce: 'n', addresses: [somewhere] });
    expect(await post(agent, question, signatureOf('operator', question, 'x'.repeat(32)))).toBe(401);
    expect(await post(agent, question, signatureOf('agent', question, key))).toBe(401);
    expect(await post(agent, '{}')).toBe(400);
    expect(await post(agent, 'x'.repeat(questionBytes + 1))).toBe(413);
    expect(await post(agent, question)).toBe(200);
  });

  it('answers two at a time, and stops for who is gone', async () => {
    const ended: string[] = [];
    const agent = await agentWith(async (_, signal) => {
      await once(signal, 'abort');
      ended.push('a round');
      return [];
    });
    const question = JSON.stringify({ nonce: 'n', addresses: [somewhere] });
    const headers = { [signatureHeader]: signatureOf('operator', question, key) };
    const leaving = new AbortController();
    const url = `http://${agent.host}:${agent.port}${measurePath}`;
    const ask = () => fetch(url, { method: 'POST', body: question, headers, signal: leaving.signal });
    const asked = [ask(), ask(), ask()].map((one) => one.then(({ status }) => status));
    expect(await Promise.race(asked)).toBe(429);
    leaving.abort();
    await Promise.allSettled(asked);
    await expect.poll(() => ended.length).toBe(2);
  });
});

describe('an agent that is not to be believed', () => {
  it.each([
    ['says nothing', ''],
    ['has no signature', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}'],
    ['sends elsewhere', 'HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n'],
    ['has no end', `HTTP/1.1 200 OK\r\n\r\n${'x'.repeat(1 << 17)}`],
  ])('is none when it %s', async (_, answer) => {
    await using agent = await answering(answer);
    expect(await askAgent(agent, [somewhere], key)).toBeUndefined();
  });

  it('is none when it has another key', async () => {
    const agent = await agentWith();
    expect(await askAgent(agent, [somewhere], 'x'.repeat(32))).toBeUndefined();
    expect(await askAgent(agent, [somewhere], key)).toEqual(quick);
  });
});
