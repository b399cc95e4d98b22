import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Reach } from '../access/reach.ts';
import { DependantHooks, type HookCall } from './tell-dependants.ts';

const call: HookCall = { notice: 'n/1', phase: 'before', to: 'a/b', incident: 'i', stage: 's', reason: 'r', at: 't' };
const here = new Reach({ allow: ['127.0.0.1'] });
const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

async function answering(...statuses: number[]) {
  const calls: unknown[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    calls.push(JSON.parse(body));
    response.writeHead(statuses[Math.min(calls.length, statuses.length) - 1] ?? 500).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => server.close());
  return { calls, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

describe('a hook', () => {
  it.each([
    [[204], 'ready'],
    [[409], 'refused'],
    [[503, 200], 'ready'],
    [[429, 403], 'refused'],
  ])('that answers %s has said %s', async (statuses, answer) => {
    const { url, calls } = await answering(...statuses);
    const hooks = new DependantHooks(Date.now, here);
    const said = await new Promise((resolve) =>
      hooks.ask(call, { url, timeout: 1000, until: Date.now() + 20_000 }, resolve),
    );
    expect(said).toEqual({ notice: 'n/1', answer });
    expect(calls).toHaveLength(statuses.length);
    expect(calls[0]).toEqual(call);
  });

  it('is asked once at a time, and not again once it has answered', async () => {
    const { url, calls } = await answering(200);
    const hooks = new DependantHooks(Date.now, here);
    const hook = { url, timeout: 1000, until: Date.now() + 20_000 };
    const onAnswer = vi.fn();
    hooks.ask(call, hook, onAnswer);
    hooks.ask(call, hook, onAnswer);
    await vi.waitFor(() => expect(onAnswer).toHaveBeenCalledOnce(), 20_000);
    hooks.ask(call, hook, onAnswer);
    expect(calls).toHaveLength(1);
  });

  it('that never answers is given up, and nobody is told', async () => {
    const { url, calls } = await answering(500);
    const hooks = new DependantHooks(() => Number.POSITIVE_INFINITY, here);
    const onAnswer = vi.fn();
    hooks.ask(call, { url, timeout: 1000, until: 0 }, onAnswer);
    await vi.waitFor(() => expect(calls).toHaveLength(1), 20_000);
    expect(onAnswer).not.toHaveBeenCalled();
  });
});
