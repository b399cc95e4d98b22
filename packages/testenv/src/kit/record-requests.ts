/** A record of everything that an operator asked of the API server: what it wrote, and what it did not. */
import { type Client, ClientError, type HttpMethod } from '@kurator/client';
import { type Call, calls, streams } from './internal/call.ts';
import { noting } from './internal/http-exchanges.ts';

/** One call of a client's method. */
export interface RecordedRequest {
  /** The method of the client: `get`, `apply`, `deleteCollection`. */
  readonly verb: string;
  /** `POST` also for `exec` and `attach`, which may change anything. */
  readonly method: HttpMethod;
  readonly apiVersion: string | undefined;
  readonly kind: string | undefined;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  /** For example `status`. */
  readonly subresource: string | undefined;
  readonly dryRun: boolean;
  /** Of a `raw` request. */
  readonly path: string | undefined;
  /** HTTP status of the last answer; undefined as long as there is none. */
  readonly status: number | undefined;
  /** How often it was sent: more than once after failures that may pass. */
  readonly sent: number;
  /** `pending`, `ok`, or the code of the error that it ended with. */
  readonly outcome: string;
}

/** What was asked for so far, in its order. */
export interface RequestRecord {
  readonly all: readonly RecordedRequest[];
  /** Those that may change something: not reads, and not dry runs. */
  readonly writes: readonly RecordedRequest[];
  /** The writes in words, without namespaces: `apply Deployment web`, `patch MyApp web/status (KUR_CLIENT_CONFLICT)`. */
  summary(): string[];
  /** Forgets what was asked for so far. */
  clear(): void;
}

/**
 * The same client, whose requests are recorded from now on. Clients that are made out of its `config` are not: leader
 * election and sharding have connections of their own.
 */
export function recordRequests(client: Client): { client: Client; requests: RequestRecord } {
  const all: Entry[] = [];
  const begin = (verb: string, call: Call) => {
    const entry = newEntry(verb, call);
    all.push(entry);
    return entry;
  };
  const writes = () => all.filter(({ method, dryRun }) => method !== 'GET' && !dryRun);
  return {
    client: { ...client, ...recordedCalls(client, begin), ...recordedStreams(client, begin) },
    requests: {
      all,
      get writes() {
        return writes();
      },
      summary: () => writes().map(describeRequest),
      clear() {
        all.length = 0;
      },
    },
  };
}

/** One line for a person: `patch MyApp web/status (KUR_CLIENT_CONFLICT)`. */
export function describeRequest(request: RecordedRequest): string {
  const { verb, method, kind, name, subresource, path, dryRun, outcome } = request;
  const target = path ? `${method} ${path}` : [kind, name].filter(Boolean).join(' ');
  const remarks = [dryRun ? 'dry run' : '', outcome === 'ok' ? '' : outcome].filter(Boolean).join(', ');
  return `${verb} ${target}${subresource ? `/${subresource}` : ''}${remarks ? ` (${remarks})` : ''}`;
}

type Entry = { -readonly [K in keyof RecordedRequest]: RecordedRequest[K] };
type Begin = (verb: string, call: Call) => Entry;
// Which method is called is known only when it is called: here they are all alike.
type AnyCall = (...args: never[]) => Call;
type AnyMethod = (...args: never[]) => Promise<unknown>;
type AnyStream = (...args: never[]) => AsyncIterable<unknown>;

function newEntry(verb: string, { type, dryRun = false, ...call }: Call): Entry {
  const { method, namespace, name, subresource, path } = call;
  const target = { apiVersion: type?.apiVersion, kind: type?.kind, namespace, name, subresource, path };
  return { verb, method, ...target, dryRun, status: undefined, sent: 0, outcome: 'pending' };
}

function recordedCalls(client: Client, begin: Begin): Partial<Client> {
  const recorded = Object.entries<AnyCall>(calls).map(([verb, callOf]) => {
    const method = client[verb as keyof typeof calls] as AnyMethod;
    return [
      verb,
      async (...args: never[]) => {
        const entry = begin(verb, callOf(...args));
        return await settled(entry, () => noting(entry, () => method(...args)));
      },
    ];
  });
  return Object.fromEntries(recorded);
}

function recordedStreams(client: Client, begin: Begin): Partial<Client> {
  const recorded = Object.entries<AnyCall>(streams).map(([verb, callOf]) => {
    const method = client[verb as keyof typeof streams] as AnyStream;
    return [verb, (...args: never[]) => noted(begin(verb, callOf(...args)), method(...args))];
  });
  return Object.fromEntries(recorded);
}

async function settled<R>(entry: Entry, act: () => Promise<R>): Promise<R> {
  try {
    const answer = await act();
    entry.outcome = 'ok';
    return answer;
  } catch (error) {
    entry.outcome = error instanceof ClientError ? error.code : String(error);
    if (error instanceof ClientError) entry.status ??= error.status;
    throw error;
  }
}

/** Pending until the stream ends. */
async function* noted<T>(entry: Entry, stream: AsyncIterable<T>): AsyncGenerator<T, void, undefined> {
  const iterator = stream[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = noting(entry, () => iterator.next());
      const { done, value } = await next;
      if (done) break;
      yield value;
    }
    entry.outcome = 'ok';
  } catch (error) {
    entry.outcome = error instanceof ClientError ? error.code : String(error);
    throw error;
  } finally {
    await iterator.return?.();
  }
}
