import type { Duplex } from 'node:stream';
import type { ClientConfig } from './config.ts';
import { isNotFound } from './error.ts';
import type { Execution } from './execution.ts';
import { decode, refusal } from './internal/answer.ts';
import { type Deadline, startDeadline } from './internal/deadline.ts';
import { createDiscovery } from './internal/discovery.ts';
import type { HttpMethod } from './internal/http.ts';
import { linesOf } from './internal/lines.ts';
import {
  type ApiRequest,
  attachRequest,
  deleteCollectionRequest,
  deleteRequest,
  discoveryRequest,
  execRequest,
  getRequest,
  listRequest,
  logRequest,
  patchRequest,
  portForwardRequest,
  rawRequest,
  watchRequest,
  writeRequest,
} from './internal/requests.ts';
import { RETRIES, withRetries } from './internal/retry.ts';
import { connectionOf, portSession } from './internal/streams/port-connection.ts';
import { executionOf, executionSession } from './internal/streams/program.ts';
import { openSession } from './internal/streams/session.ts';
import { createTransport, type Transport } from './internal/transport.ts';
import { watchEvents, watchLines } from './internal/watch-stream.ts';
import type { KubernetesList, KubernetesObject, Manifest } from './object.ts';
import type {
  ApplyOptions,
  AttachOptions,
  ClientOptions,
  DeleteCollectionOptions,
  DeleteOptions,
  ExecOptions,
  ListOptions,
  LogOptions,
  ObjectRequestOptions,
  PatchOptions,
  PortForwardOptions,
  RawOptions,
  RequestOptions,
  WatchOptions,
  WriteOptions,
} from './options.ts';
import type { DiscoveredType, ObjectReference, ResourceType } from './resource-type.ts';
import type { WatchEvent } from './watch-event.ts';

/**
 * Talks to one API server. Each method asks for one thing, and asks again where a failure may pass and asking twice does
 * no harm (see `retries`); each failure is a ClientError, or the reason of the signal that the caller fired.
 */
export interface Client extends AsyncDisposable {
  readonly config: ClientConfig;

  get<T extends KubernetesObject>(
    type: ResourceType<T>,
    ref: ObjectReference,
    options?: ObjectRequestOptions,
  ): Promise<T>;

  /** Like `get`, but an object that isn't there is undefined. */
  find<T extends KubernetesObject>(
    type: ResourceType<T>,
    ref: ObjectReference,
    options?: ObjectRequestOptions,
  ): Promise<T | undefined>;

  list<T extends KubernetesObject>(type: ResourceType<T>, options?: ListOptions): Promise<KubernetesList<T>>;

  create<T extends KubernetesObject>(type: ResourceType<T>, object: Manifest<T>, options?: WriteOptions): Promise<T>;

  /** Writes the whole object; with a `metadata.resourceVersion` only if nobody has changed it since. */
  replace<T extends KubernetesObject>(type: ResourceType<T>, object: Manifest<T>, options?: WriteOptions): Promise<T>;

  patch<T extends KubernetesObject>(
    type: ResourceType<T>,
    ref: ObjectReference,
    patch: object,
    options?: PatchOptions,
  ): Promise<T>;

  /** Server-side apply: creates the object, or makes the fields given here what they are given as. */
  apply<T extends KubernetesObject>(type: ResourceType<T>, object: Manifest<T>, options: ApplyOptions): Promise<T>;

  /** Asks for deletion; the object may live on until its finalizers are gone. */
  delete(type: ResourceType, ref: ObjectReference, options?: DeleteOptions): Promise<void>;

  /**
   * Asks for the deletion of all objects of a type that are meant; without a selector that is all in the namespace.
   * A namespaced kind needs a namespace.
   */
  deleteCollection(type: ResourceType, options: DeleteCollectionOptions): Promise<void>;

  /**
   * What the server knows of a kind that is not known at compile time. Remembered; a kind that the server doesn't have
   * is asked for again at the next call, and is an error with code `KUR_CLIENT_UNKNOWN_KIND`.
   */
  discover(apiVersion: string, kind: string, options?: RequestOptions): Promise<DiscoveredType>;

  /**
   * What happens to the objects of a type, until the server ends the watch, the signal fires or the loop is left.
   * Reconnecting is the caller's part: begin again at the last resourceVersion that was seen.
   */
  watch<T extends KubernetesObject>(type: ResourceType<T>, options?: WatchOptions): AsyncIterable<WatchEvent<T>>;

  /**
   * Like `watch`, for those who take in very many events: unparsed, `{"type":"ADDED","object":{…}}` each, without its
   * newline, in one array for each chunk of the network. Most are views of the chunk's memory: copy what is to be kept
   * for long. With `metadataOnly` the objects call themselves PartialObjectMetadata.
   */
  watchLines(type: ResourceType, options?: WatchOptions): AsyncIterable<Uint8Array[]>;

  /** What a container has written so far. */
  logs(pod: ObjectReference, options?: LogOptions): Promise<string>;

  /** What a container writes, a line at a time, until it ends. Without a deadline unless `timeout` is given. */
  followLogs(pod: ObjectReference, options?: LogOptions): AsyncIterable<string>;

  /**
   * Starts a program in a container. For one that just runs and ends, `runInPod` is simpler.
   *
   * @param command the program and its arguments; no shell interprets them.
   */
  exec(pod: ObjectReference, command: readonly string[], options?: ExecOptions): Promise<Execution>;

  /** Joins the program that a container runs: its output from now on, its input where the container has one. */
  attach(pod: ObjectReference, options?: AttachOptions): Promise<Execution>;

  /** One connection to a port of a pod; `listenForPod` makes a local port of it. */
  portForward(pod: ObjectReference, port: number, options?: PortForwardOptions): Promise<Duplex>;

  /** Any path, for example `/readyz`: JSON comes back parsed, anything else as text. Sent once unless `retries` is given. */
  raw<T = unknown>(method: HttpMethod, path: string, options?: RawOptions): Promise<T>;

  /** Breaks off what is under way and closes all connections. */
  close(): Promise<void>;
}

const REQUEST_TIMEOUT = 30_000;
const WATCH_SECONDS = 300;
const WATCH_IDLE = 150_000;
// How much later than the server we end a watch that it should have ended.
const WATCH_GRACE = 10_000;
// The longest timer that Node has: about 24 days.
const LONGEST_TIMER = 2 ** 31 - 1;

/** Makes a client; nothing is sent before the first request. */
export function createClient(config: ClientConfig, defaults: ClientOptions = {}): Client {
  const transport = createTransport(config);
  const send = <T>(request: ApiRequest, options: RequestOptions) =>
    exchange<T>(transport, request, { ...defaults, ...options });
  const discovery = createDiscovery(
    async (path, accept, options) => await send(discoveryRequest(path, accept), options),
  );

  const get: Client['get'] = async (type, ref, options = {}) => await send(getRequest(type, ref, options), options);

  return {
    config,
    get,

    async find(type, ref, options = {}) {
      try {
        return await get(type, ref, options);
      } catch (error) {
        if (isNotFound(error)) return undefined;
        throw error;
      }
    },

    async list<T extends KubernetesObject>(type: ResourceType<T>, options: ListOptions = {}) {
      const list = await send<KubernetesList<T>>(listRequest(type, options), options);
      list.items ??= [];
      // The server leaves these out of a list's items; an object should know its kind wherever it came from.
      for (const item of list.items) {
        item.apiVersion = type.apiVersion;
        item.kind = type.kind;
      }
      return list;
    },

    create: async (type, object, options = {}) => await send(writeRequest('create', type, object, options), options),
    replace: async (type, object, options = {}) => await send(writeRequest('replace', type, object, options), options),
    apply: async (type, object, options) => await send(writeRequest('apply', type, object, options), options),
    patch: async (type, ref, patch, options = {}) => await send(patchRequest(type, ref, patch, options), options),

    async delete(type, ref, options = {}) {
      await send(deleteRequest(type, ref, options), options);
    },

    async deleteCollection(type, options) {
      await send(deleteCollectionRequest(type, options), options);
    },

    discover: async (apiVersion, kind, options = {}) => await discovery.find(apiVersion, kind, options),

    async *watch<T extends KubernetesObject>(type: ResourceType<T>, options: WatchOptions = {}) {
      const { doing, body } = await openWatch(transport, type, options);
      yield* watchEvents<T>(doing, type, body);
    },

    async *watchLines(type, options = {}) {
      const { doing, body } = await openWatch(transport, type, options);
      yield* watchLines(doing, body);
    },

    logs: async (pod, options = {}) => await send(logRequest(pod, options, false), options),

    async *followLogs(pod, options = {}) {
      const { signal, timeout = LONGEST_TIMER } = options;
      yield* linesOf(await open(transport, logRequest(pod, options, true), startDeadline(timeout, signal), 0));
    },

    async exec(pod, command, options = {}) {
      const request = execRequest(pod, command, options);
      return executionOf(request.doing, await openSession(transport, request, executionSession, options), options);
    },

    async attach(pod, options = {}) {
      const request = attachRequest(pod, options);
      return executionOf(request.doing, await openSession(transport, request, executionSession, options), options);
    },

    async portForward(pod, port, options = {}) {
      const request = portForwardRequest(pod, port);
      return connectionOf(request.doing, await openSession(transport, request, portSession, options));
    },

    raw: async (method, path, options = {}) =>
      await send(rawRequest(method, path, options), { retries: 0, ...options }),

    close: () => transport.close(),
    [Symbol.asyncDispose]: () => transport.close(),
  };
}

async function exchange<T>(transport: Transport, asked: ApiRequest, options: RequestOptions): Promise<T> {
  const request = options.guard ? { ...asked, guard: options.guard } : asked;
  const deadline = startDeadline(options.timeout ?? REQUEST_TIMEOUT, options.signal);
  try {
    return await withRetries(request, options.retries ?? RETRIES, deadline, async () => {
      const answer = await transport.request(request, deadline);
      if (answer.status >= 300) throw refusal(request, answer);
      return decode<T>(request.doing, answer);
    });
  } finally {
    deadline.end();
  }
}

async function openWatch(transport: Transport, type: ResourceType, options: WatchOptions) {
  const { signal, idleTimeout = WATCH_IDLE, timeoutSeconds = WATCH_SECONDS } = options;
  const request = watchRequest(type, { ...options, timeoutSeconds });
  const deadline = startDeadline(timeoutSeconds * 1000 + WATCH_GRACE, signal);
  return { doing: request.doing, body: await open(transport, request, deadline, idleTimeout) };
}

// More than this is no message of Kubernetes; what goes on for ever is none either.
const LONGEST_REFUSAL = 1024 * 1024;

async function open(
  transport: Transport,
  request: ApiRequest,
  deadline: Deadline,
  idleTimeout: number,
): Promise<AsyncIterable<Uint8Array>> {
  const { status, headers, body } = await transport.stream(request, deadline, idleTimeout);
  if (status < 300) return body;
  const chunks: Uint8Array[] = [];
  let left = LONGEST_REFUSAL;
  for await (const chunk of body) {
    chunks.push(chunk);
    left -= chunk.length;
    if (left <= 0) break;
  }
  throw refusal(request, { status, headers, text: Buffer.concat(chunks).toString('utf8') });
}
