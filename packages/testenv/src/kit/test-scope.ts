/** All that one test needs, made in one line and gone at its end. */
import type { Client } from '@kurator/client';
import { sharedClient, testNamespace } from '../shared-control-plane.ts';
import { type RequestRecord, recordRequests } from './record-requests.ts';

/** What a scope starts an operator with: in its namespace alone, silent, and without a port. */
export interface ScopedOptions {
  readonly client: Client;
  readonly namespaces: string;
  readonly signal: AbortSignal;
  readonly http: false;
  readonly log: 'silent';
}

/** Whatever can be started as one thing of many in a process, such as an operator of the SDK. */
export interface Startable<Running extends { readonly ended: Promise<unknown> }> {
  start(options: ScopedOptions): Promise<Running>;
}

/** A client, a namespace and what runs in it, for one test. */
export interface TestScope extends AsyncDisposable {
  /** Administrator of the shared control plane; its requests are in `requests`. */
  readonly client: Client;
  /** One that nobody else has. */
  readonly namespace: string;
  /** What was asked for through `client`. */
  readonly requests: RequestRecord;
  /** Fires at the end of the test. */
  readonly signal: AbortSignal;
  /**
   * Starts an operator in the scope's namespace, with the scope's client: `await test.start(myapp)`. It is stopped and
   * waited for at the end; if it failed, the end of the scope fails with its error.
   *
   * @param options What else it is to be started with, or differently: a `clock`, for example.
   */
  start<Running extends { readonly ended: Promise<unknown> }>(
    operator: Startable<Running>,
    options?: object,
  ): Promise<Running>;
  /** Like `start`, for anything that runs until its signal fires: `test.run((signal) => manager.run(signal))`. */
  run(start: (signal: AbortSignal) => Promise<unknown>): void;
  /** Done at the end, after what runs was stopped; the last first. */
  onEnd(cleanUp: () => unknown): void;
  /** Ends it: what runs, what was registered, then the client. `await using` calls it by itself. */
  end(): Promise<void>;
}

/**
 * Opens a scope on the shared control plane: `await using test = await testScope()`. The namespace is not deleted: it
 * goes with the control plane.
 *
 * @param prefix What the namespace's name begins with; `test` unless given.
 */
export async function testScope(prefix?: string): Promise<TestScope> {
  const connection = await sharedClient();
  const namespace = await testNamespace(connection, prefix);
  const { client, requests } = recordRequests(connection);
  const ending = new AbortController();
  const runs: Promise<unknown>[] = [];
  const cleanUps: (() => unknown)[] = [() => connection.close()];
  const failures: unknown[] = [];

  const noted = async (act: () => Promise<unknown>) => {
    try {
      await act();
    } catch (error) {
      failures.push(error);
    }
  };
  const end = async () => {
    if (ending.signal.aborted) return;
    ending.abort();
    await Promise.all(runs);
    for (const cleanUp of cleanUps.reverse()) await noted(async () => await cleanUp());
    if (failures.length > 0) throw failures[0];
  };

  return {
    client,
    namespace,
    requests,
    signal: ending.signal,
    async start(operator, options = {}) {
      const { signal } = ending;
      const scoped = { client, namespaces: namespace, signal, http: false, log: 'silent', ...options } as const;
      const running = await operator.start(scoped);
      runs.push(noted(() => running.ended));
      return running;
    },
    run(start) {
      runs.push(noted(async () => await start(ending.signal)));
    },
    onEnd: (cleanUp) => void cleanUps.push(cleanUp),
    end,
    [Symbol.asyncDispose]: end,
  };
}
