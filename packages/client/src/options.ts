/** What every request takes. */
export interface RequestOptions {
  /** Gives up when it fires; the request then fails with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Milliseconds for the whole exchange, with all its retries; 30 s unless given. */
  timeout?: number;
  /**
   * How often the request may be sent again; 4 unless given, 0 for never. It is sent again after 429, after 500, 502,
   * 503, 504 and broken connections, as long as sending it twice does what sending it once does: a `create` only
   * after 429 or when no connection could be made. It waits as long as the server asks, else longer each time.
   */
  retries?: number;
  /** See {@link Guard}. */
  guard?: Guard | undefined;
}

/**
 * Called right before a request's bytes go out, each time that they do: after the wait for a connection, and again for
 * each retry. What it throws ends the request, which is then not sent.
 */
export type Guard = () => void;

/** What holds for all requests of a client unless a request says otherwise. */
export interface ClientOptions {
  /** See {@link RequestOptions.timeout}. */
  timeout?: number;
  /** See {@link RequestOptions.retries}. */
  retries?: number;
}

/** What every request on one object takes. */
export interface ObjectRequestOptions extends RequestOptions {
  /** For example `status`, `scale` or `eviction`. */
  subresource?: string;
}

/** What every request that writes takes. */
export interface WriteOptions extends ObjectRequestOptions {
  /** The server checks everything and stores nothing. */
  dryRun?: boolean;
  /** What the server does about unknown and doubled fields; `Strict` (refuse) unless given. */
  fieldValidation?: 'Strict' | 'Warn' | 'Ignore';
  /** Who is said to have written the fields. */
  fieldManager?: string;
}

/** How a patch is written: see "kubectl patch --type". */
export type PatchType = 'merge' | 'strategic' | 'json';

/** Options of `patch`. */
export interface PatchOptions extends WriteOptions {
  /** `merge` unless given. `strategic` works for built-in kinds only; `json` takes a list of operations. */
  type?: PatchType;
}

/** Options of `apply`. */
export interface ApplyOptions extends WriteOptions {
  fieldManager: string;
  /** Takes over fields that another manager owns, instead of failing with a conflict. */
  force?: boolean;
}

/** Options of `delete`. */
export interface DeleteOptions extends RequestOptions {
  /** What becomes of dependants: `Background` (deleted later) unless given, `Foreground` (deleted first) or `Orphan` (kept). */
  propagation?: 'Background' | 'Foreground' | 'Orphan';
  /** 0 kills at once and doesn't wait for the kubelet. */
  gracePeriodSeconds?: number;
  /** Deletes only if the object is still the one that was seen. */
  preconditions?: { uid?: string; resourceVersion?: string };
  dryRun?: boolean;
}

/** Which objects of a type are meant. */
export interface Selection {
  /** All namespaces unless given. */
  namespace?: string | undefined;
  /** For example `app=web,tier!=cache`. */
  labelSelector?: string;
  /** For example `spec.nodeName=n1`; which fields can be used depends on the kind. */
  fieldSelector?: string;
}

/** Options of `deleteCollection`. */
export interface DeleteCollectionOptions extends Selection, Omit<DeleteOptions, 'preconditions'> {}

/** Options of `list`. */
export interface ListOptions extends Selection, RequestOptions {
  /** At most this many objects a page; everything in one answer unless given. */
  limit?: number;
  /** The previous page's `metadata.continue`. */
  continue?: string;
  resourceVersion?: string;
  resourceVersionMatch?: 'Exact' | 'NotOlderThan';
  /** Objects come with nothing but their metadata: `client.list<KubernetesObject>(Pod, { metadataOnly: true })`. */
  metadataOnly?: boolean;
}

/** Options of `watch`. */
export interface WatchOptions extends Selection {
  signal?: AbortSignal | undefined;
  /** Begin after this version, usually a list's `metadata.resourceVersion`; unless given, first comes an ADDED for all there is. */
  resourceVersion?: string;
  /** BOOKMARK events, whose object has nothing but a resourceVersion to resume at; true unless given. */
  bookmarks?: boolean;
  /**
   * First comes an ADDED for all there is, then a bookmark that says that this was all (`isInitialEventsEnd`), then what
   * happens: a list and a watch in one stream, which costs the server less than a list. With a `resourceVersion`,
   * what there is is not older than that. Kubernetes ≥ 1.34; older servers may refuse it (HTTP 400 or 422).
   */
  sendInitialEvents?: boolean;
  /** Objects come with nothing but their metadata. */
  metadataOnly?: boolean;
  /** The server ends the watch after this many seconds; 300 unless given. */
  timeoutSeconds?: number;
  /** Milliseconds without a byte after which the connection counts as dead; 150 s unless given (bookmarks come every 60 s). */
  idleTimeout?: number;
}

/** Options of `logs` and `followLogs`. */
export interface LogOptions extends RequestOptions {
  /** Needed for pods with several containers. */
  container?: string;
  /** Of the container's previous run, before its last restart. */
  previous?: boolean;
  /** Only the last so many lines. */
  tailLines?: number;
  sinceSeconds?: number;
  limitBytes?: number;
  /** Puts an RFC 3339 timestamp before each line. */
  timestamps?: boolean;
}

/** Options of `raw`. */
export interface RawOptions extends RequestOptions {
  query?: Record<string, string | number | boolean | undefined>;
  /** Sent as JSON, or as it is when it is text. */
  body?: unknown;
  /** `application/json` unless given. */
  contentType?: string;
}

/** Options of `attach`. */
export interface AttachOptions {
  /** Needed for pods with several containers. */
  container?: string;
  /** Opens the program's standard input; false unless given. */
  stdin?: boolean;
  /** False where nobody will read it; true unless given. */
  stdout?: boolean;
  /** False where nobody will read it; true unless given, and false with a `tty`, which has only one output. */
  stderr?: boolean;
  /** The program has a terminal. */
  tty?: boolean;
  /** Breaks off the session. Whether the program in the container ends then is its own affair. */
  signal?: AbortSignal | undefined;
  /** Milliseconds for opening the session; 30 s unless given. The session itself may last. */
  timeout?: number;
  /** Milliseconds between pings; 30 s unless given. A ping that is not answered before the next ends the session. */
  pingInterval?: number;
  /** See {@link Guard}. */
  guard?: Guard | undefined;
}

/** Options of `exec`. */
export interface ExecOptions extends AttachOptions {}

/** Options of `portForward`. */
export interface PortForwardOptions {
  /** Breaks off the connection. */
  signal?: AbortSignal | undefined;
  /** Milliseconds for opening the connection; 30 s unless given. */
  timeout?: number;
  /** Milliseconds between pings; 30 s unless given. A ping that is not answered before the next ends the connection. */
  pingInterval?: number;
}
