/**
 * The supervisor's small HTTP API on a unix socket in the cluster's folder, which only the owner of that
 * folder can reach. JSON in, JSON out; a failure is `{ code, message, remedy }` with a status of 400 or above.
 */
import { createServer, type IncomingMessage } from 'node:http';
import { TestenvError } from '../../error.ts';
import type { FaultInjector } from '../../faults/injection/injector.ts';
import { errorMessage } from './messages.ts';
import type { RunningCluster } from './running-cluster.ts';
import { clusterStatus } from './status.ts';

/** What the requests are about. */
export interface Controlled {
  readonly cluster: RunningCluster;
  readonly faults: FaultInjector;
  /** Begins to take it all down. */
  end(): void;
}

type Handler = (controlled: Controlled, parameters: readonly string[], body: unknown) => Promise<unknown>;

/** `METHOD path`, where each `*` is a parameter. */
const routes: Readonly<Record<string, Handler>> = {
  'GET status': async ({ cluster }) => clusterStatus(cluster),
  'POST end': async ({ end }) => {
    // After the answer: the end closes this connection, too.
    setImmediate(end);
    return {};
  },
  'POST images': async ({ cluster }, _, body) => {
    await cluster.load(textField(body, 'archive'));
    return {};
  },
  'POST registry': ({ cluster }) => cluster.registry(),
  'GET faults': async ({ faults }) => faults.list(),
  'POST faults': ({ faults }, _, body) => faults.inject(body),
  'DELETE faults': async ({ faults }) => {
    await faults.healAll();
    return {};
  },
  'DELETE faults/*': async ({ faults }, [id = '']) => {
    await faults.heal(id);
    return {};
  },
};

const BODY_LIMIT = 1024 * 1024;

export interface ControlServer {
  close(): Promise<void>;
}

export async function serveControl(controlled: Controlled, socket: string): Promise<ControlServer> {
  const server = createServer((request, response) => {
    answer(controlled, request).then(
      (result) => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(result)),
      (error: unknown) =>
        response
          .writeHead(error instanceof TestenvError ? 400 : 500)
          .end(JSON.stringify(errorMessage(error, 'KUR_TESTENV_CONTROL'))),
    );
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(socket, resolve));
  return {
    async close() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

async function answer(controlled: Controlled, request: IncomingMessage): Promise<unknown> {
  const path = (request.url ?? '/').slice(1).split('/').map(decodeURIComponent);
  for (const [route, handler] of Object.entries(routes)) {
    const parameters = match(route, `${request.method}`, path);
    if (parameters) return await handler(controlled, parameters, await readBody(request));
  }
  throw new TestenvError('KUR_TESTENV_CONTROL', `the supervisor knows no ${request.method} ${request.url}`);
}

function match(route: string, method: string, path: readonly string[]): string[] | undefined {
  const [routeMethod, pattern = ''] = route.split(' ');
  const parts = pattern.split('/');
  if (method !== routeMethod || parts.length !== path.length) return undefined;
  if (!parts.every((part, i) => part === '*' || part === path[i])) return undefined;
  return path.filter((_, i) => parts[i] === '*');
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  let text = '';
  for await (const chunk of request) {
    text += chunk;
    if (text.length > BODY_LIMIT) throw new TestenvError('KUR_TESTENV_CONTROL', 'the request is too large');
  }
  return text ? JSON.parse(text) : undefined;
}

function textField(body: unknown, field: string): string {
  const value = (body as Record<string, unknown> | undefined)?.[field];
  if (typeof value === 'string') return value;
  throw new TestenvError('KUR_TESTENV_CONTROL', `the request needs a text field "${field}"`);
}
