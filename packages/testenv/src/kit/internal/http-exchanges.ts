/**
 * Which HTTP exchanges a piece of code causes. The client announces each of its requests to whoever listens, in the context
 * of the code that asked for it; so nothing needs to be put between a client and its server.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe } from 'node:diagnostics_channel';

/** What is known of the exchanges so far. */
export interface Exchanges {
  sent: number;
  /** Of the last answer. */
  status: number | undefined;
}

/** As @kurator/client documents them. */
interface Announced {
  readonly request: object;
  readonly status?: number;
}

// Several, where a client that is recorded already is recorded again.
const context = new AsyncLocalStorage<readonly Exchanges[]>();
const known = new WeakMap<object, readonly Exchanges[]>();
let listening = false;

/** Runs something, and notes every HTTP request that it sends. */
export function noting<R>(exchanges: Exchanges, act: () => R): R {
  listen();
  return context.run([...(context.getStore() ?? []), exchanges], act);
}

function listen(): void {
  if (listening) return;
  listening = true;
  subscribe('kurator:client:request', (message) => {
    const all = context.getStore();
    if (!all) return;
    for (const exchanges of all) exchanges.sent++;
    known.set((message as Announced).request, all);
  });
  subscribe('kurator:client:answer', (message) => {
    const { request, status } = message as Announced;
    for (const exchanges of known.get(request) ?? []) exchanges.status = status;
  });
}
