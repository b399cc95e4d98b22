import type { ClientConfig } from './config.ts';
import { isNotFound } from './error.ts';
import { decode, refusal } from './internal/answer.ts';
import { linesOf } from './internal/lines.ts';
import {
  type ApiRequest,
  deleteRequest,
  getRequest,
  listRequest,
  logRequest,
  patchRequest,
  rawRequest,
  watchRequest,
  writeRequest,
} from './internal/requests.ts';
import { createTransport, type HttpMethod, type HttpRequest, type Transport } from './internal/transport.ts';
import { watchEvents } from './internal/watch-stream.ts';
import type { KubernetesList, KubernetesObject, Manifest } from './object.ts';
import type {
  ApplyOptions,
  DeleteOptions,
  ListOptions,
  LogOptions,
  ObjectRequestOptions,
  PatchOptions,
  RawOptions,
  RequestOptions,
  WatchOptions,
  WriteOptions,
} from './options.ts';
import type { ObjectReference, ResourceType } from './resource-type.ts';
import type { WatchEvent } from './watch-event.ts';

/**
 * Talks to one API server. Each method sends one request, without retries; each failure is a ClientError,
 * or the reason of the signal that the caller fired.
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
   * What happens to the objects of a type, until the server ends the watch, the signal fires or the loop is left.
   * Reconnecting is the caller's part: begin again at the last resourceVersion that was seen.
   */
  watch<T extends KubernetesObject>(type: ResourceType<T>, options?: WatchOptions): AsyncIterable<WatchEvent<T>>;

  /** What a container has written so far. */
  logs(pod: ObjectReference, options?: LogOptions): Promise<string>;

  /** What a container writes, a line at a time, until it ends. Without a deadline unless `timeout` is given. */
  followLogs(pod: ObjectReference, options?: LogOptions): AsyncIterable<string>;

  /** Any path, for example `/readyz`: JSON comes back parsed, anything else as text. */
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
export function createClient(config: ClientConfig): Client {
  const transport = createTransport(config);
  const send = <T>(request: ApiRequest, options: RequestOptions) => exchange<T>(transport, request, options);

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

    async *watch<T extends KubernetesObject>(type: ResourceType<T>, options: WatchOptions = {}) {
      const { signal, idleTimeout = WATCH_IDLE, timeoutSeconds = WATCH_SECONDS } = options;
      const request = watchRequest(type, { ...options, timeoutSeconds });
      const timeout = timeoutSeconds * 1000 + WATCH_GRACE;
      yield* watchEvents<T>(request.doing, await open(transport, { ...request, signal, timeout, idleTimeout }));
    },

    logs: async (pod, options = {}) => await send(logRequest(pod, options, false), options),

    async *followLogs(pod, options = {}) {
      const { signal, timeout = LONGEST_TIMER } = options;
      yield* linesOf(await open(transport, { ...logRequest(pod, options, true), signal, timeout, idleTimeout: 0 }));
    },

    raw: async (method, path, options = {}) => await send(rawRequest(method, path, options), options),

    close: () => transport.close(),
    [Symbol.asyncDispose]: () => transport.close(),
  };
}

async function exchange<T>(transport: Transport, request: ApiRequest, options: RequestOptions): Promise<T> {
  const { timeout = REQUEST_TIMEOUT, signal } = options;
  const answer = await transport.request({ ...request, timeout, signal });
  if (answer.status >= 300) throw refusal(request, answer);
  return decode<T>(request.doing, answer);
}

async function open(
  transport: Transport,
  request: ApiRequest & HttpRequest & { idleTimeout: number },
): Promise<AsyncIterable<Uint8Array>> {
  const { status, headers, body } = await transport.stream(request);
  if (status < 300) return body;
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  throw refusal(request, { status, headers, text: Buffer.concat(chunks).toString('utf8') });
}
