import { AsyncLocalStorage } from 'node:async_hooks';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { type Client, ConfigMap, createClient } from '@kurator/client';
import {
  type Context,
  type ContextManager,
  context,
  ROOT_CONTEXT,
  type Span,
  type SpanOptions,
  trace,
} from '@opentelemetry/api';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { createTracing, type Tracing } from './tracing.ts';

interface Recorded {
  readonly name: string;
  readonly parent: string | undefined;
  readonly attributes: Record<string, unknown>;
  error?: string | undefined;
  ended: boolean;
}

const recorded: Recorded[] = [];
const names = new WeakMap<Span, string>();

/** As small as a tracer can be that still knows which span is within which. */
function startSpan(name: string, options: SpanOptions, within: Context): Span {
  const parent = trace.getSpan(within);
  const record: Recorded = {
    name,
    parent: parent && names.get(parent),
    attributes: { ...options.attributes },
    ended: false,
  };
  recorded.push(record);
  const span = {
    setAttribute: (key: string, value: unknown) => Object.assign(record.attributes, { [key]: value }),
    setStatus: ({ message }: { message?: string }) => Object.assign(record, { error: message }),
    end: () => Object.assign(record, { ended: true }),
  } as unknown as Span;
  names.set(span, name);
  return span;
}

const storage = new AsyncLocalStorage<Context>();
const contexts: ContextManager = {
  active: () => storage.getStore() ?? ROOT_CONTEXT,
  with: (within, act, self, ...of) => storage.run(within, () => act.apply(self, of)),
  bind: (_, target) => target,
  enable: () => contexts,
  disable: () => contexts,
};
context.setGlobalContextManager(contexts);
trace.setGlobalTracerProvider({
  getTracer: () => ({
    startSpan: (name: string, options: SpanOptions) => startSpan(name, options, context.active()),
    startActiveSpan(name: string, options: SpanOptions, act: (span: Span) => unknown) {
      const span = startSpan(name, options, context.active());
      return context.with(trace.setSpan(context.active(), span), () => act(span));
    },
  }),
} as never);

const server = createServer((request, response) =>
  request.url?.includes('secret')
    ? response.writeHead(403).end(JSON.stringify({ kind: 'Status', code: 403, reason: 'Forbidden' }))
    : response.end('{"metadata":{}}'),
);
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const plain = createClient({ server: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
afterAll(async () => {
  await plain.close();
  server.close();
});
beforeEach(() => {
  recorded.length = 0;
});

async function reconcileWith(tracing: Tracing, act: (client: Client) => Promise<unknown>) {
  const client = tracing.client(plain);
  return await tracing.observer('echo', 'Echo').around?.('ns/a', async () => {
    await delay(1);
    return await act(client);
  });
}

describe('with OpenTelemetry, a reconcile', () => {
  it('is a span, and its requests are spans within it', async () => {
    const tracing = createTracing();
    expect(await tracing.load()).toBe(true);
    const result = await reconcileWith(tracing, async (client) => {
      await client.get(ConfigMap, { name: 'a', namespace: 'ns' });
      await client.apply(ConfigMap, { metadata: { name: 'b', namespace: 'ns' } }, { fieldManager: 'me' });
      return 'done';
    });
    expect(result).toBe('done');
    expect(recorded).toEqual([
      {
        name: 'reconcile Echo',
        parent: undefined,
        attributes: { 'kurator.controller': 'echo', 'k8s.object.kind': 'Echo', 'kurator.object.key': 'ns/a' },
        ended: true,
      },
      {
        name: 'get ConfigMap',
        parent: 'reconcile Echo',
        attributes: { 'k8s.object.kind': 'ConfigMap', 'k8s.namespace.name': 'ns', 'k8s.object.name': 'a' },
        ended: true,
      },
      expect.objectContaining({ name: 'apply ConfigMap', parent: 'reconcile Echo', ended: true }),
    ]);
  });

  it('says what failed', async () => {
    const tracing = createTracing();
    await tracing.load();
    const failing = reconcileWith(tracing, (client) => client.get(ConfigMap, { name: 'secret', namespace: 'ns' }));
    await expect(failing).rejects.toMatchObject({ code: 'KUR_CLIENT_FORBIDDEN' });
    expect(recorded.map(({ name, ended, error }) => ({ name, ended, failed: error !== undefined }))).toEqual([
      { name: 'reconcile Echo', ended: true, failed: true },
      { name: 'get ConfigMap', ended: true, failed: true },
    ]);
    expect(recorded[1]?.attributes).toMatchObject({
      'error.type': 'KUR_CLIENT_FORBIDDEN',
      'http.response.status_code': 403,
    });
  });
});

describe('without OpenTelemetry, a reconcile', () => {
  it('just runs', async () => {
    const tracing = createTracing(() => Promise.reject(new Error('not installed')));
    expect(await tracing.load()).toBe(false);
    await reconcileWith(tracing, (client) => client.get(ConfigMap, { name: 'a', namespace: 'ns' }));
    expect(recorded).toEqual([]);
  });
});
