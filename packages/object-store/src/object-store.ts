/** What both kinds of store do. Whoever takes an `ObjectStore` need not know which one it is. */
import type { Readable } from 'node:stream';

/** What is put: bytes, or a stream of them whose length nobody has to know. */
export type Body = Uint8Array | AsyncIterable<Uint8Array>;

/** An object without its content. */
export interface ObjectInfo {
  readonly key: string;
  /** In bytes. */
  readonly size: number;
  /** Names this content: what `ifMatch` takes. Another content has another one; nothing else can be read from it. */
  readonly etag: string;
  readonly lastModified: Date;
  /**
   * SHA-256 of the whole content, in hex, as it was when it was put. Absent where a server doesn't keep it: in lists of S3,
   * and for streams that were put in parts without saying their digest.
   */
  readonly sha256?: string;
  /** What was given to `put`; absent in lists. */
  readonly metadata?: Readonly<Record<string, string>>;
}

/** What every call takes. */
export interface CallOptions {
  /** Ends the call with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Ends the call after so many milliseconds, retries included. None unless given; what does not move ends anyway. */
  readonly timeout?: number | undefined;
}

/** How an object is put. */
export interface PutOptions extends CallOptions {
  /** Only if there is no object of this key: of any number of writers exactly one succeeds. */
  readonly ifAbsent?: boolean;
  /** Only if the object is still the one with this `etag`. */
  readonly ifMatch?: string;
  /** The SHA-256, in hex, that the content must have. If it hasn't, nothing is put. */
  readonly sha256?: string;
  /** Up to 2 KiB of names (`a-z`, `0-9`, `-`) and values (printable ASCII) that are kept with the object. */
  readonly metadata?: Readonly<Record<string, string>>;
  /**
   * Makes the call one that can be repeated after a crash: the same token, key and content continue from the parts that are
   * there, and succeed if all is there already, also with `ifAbsent`. Any text that is the same the next time, such as the
   * UID of a backup. Without it a failed upload is removed.
   */
  readonly token?: string;
  /** Size of the parts in which a stream is sent, in bytes; the memory it takes is this times `parallel` + 2. Default 8 MiB. */
  readonly partSize?: number;
  /** How many parts are under way at once. Default 4. */
  readonly parallel?: number;
}

/** How an object is read. */
export interface GetOptions extends CallOptions {
  /** From this byte on (0 is the first) … */
  readonly start?: number;
  /** … up to this one, included. */
  readonly end?: number;
  /** Only the object with this `etag`. */
  readonly ifMatch?: string;
  /** The SHA-256, in hex, that the whole content must have. Not with a range. */
  readonly sha256?: string;
}

/** An object that is being read. */
export interface StoredObject {
  readonly info: ObjectInfo;
  /**
   * The content. A connection that is cut is made anew from the byte where it stopped. The stream ends well only if all of it
   * came, of one and the same version, with the digest that was kept with it; else it fails.
   */
  readonly body: Readable;
  /** All of it in memory; refuses what is larger than `limit` bytes. Default 64 MiB. */
  bytes(limit?: number): Promise<Buffer>;
}

/** What is listed. */
export interface ListOptions extends CallOptions {
  /** Keys up to the next one of these after the prefix are put together into `prefixes`. Only `/` has a meaning here. */
  readonly delimiter?: '/';
  /** Only keys that come after this one. */
  readonly startAfter?: string;
  /** At most so many a page. Default 1,000, which is also the most. */
  readonly pageSize?: number;
}

/** One page of a list, in the order of the keys' bytes. */
export interface ListPage {
  readonly objects: readonly ObjectInfo[];
  /** With `delimiter`: the folders, so to say, each with its `/`. */
  readonly prefixes: readonly string[];
}

/** An upload that was begun and neither finished nor aborted. */
export interface PendingUpload {
  readonly key: string;
  readonly id: string;
  readonly startedAt: Date;
}

/** Objects by key. Keys are UTF-8 paths, as `wal/00000001/000000010000000000000001`, relative and without `.` or `..`. */
export interface ObjectStore extends AsyncDisposable {
  /** Where it is, for messages: `s3://backups at https://s3.example.com`, or `folder /backups`. */
  readonly location: string;

  /** Puts an object, all or nothing: readers see what was before, or all of what is new. */
  put(key: string, body: Body, options?: PutOptions): Promise<ObjectInfo>;

  /** Reads an object. It fails here if there is none. */
  get(key: string, options?: GetOptions): Promise<StoredObject>;

  /** What `get` knows before the content. */
  head(key: string, options?: CallOptions): Promise<ObjectInfo>;

  /** The objects whose keys begin with `prefix` (all, if it is empty), page by page. */
  list(prefix: string, options?: ListOptions): AsyncIterable<ListPage>;

  /** Deletes an object; that there is none is as good. */
  delete(key: string, options?: CallOptions): Promise<void>;

  /** Deletes many, a thousand a request. If some can't be deleted it fails after all were tried, and names the first. */
  deleteMany(keys: Iterable<string> | AsyncIterable<string>, options?: CallOptions): Promise<void>;

  /** The uploads that were begun and not finished, of keys that begin with `prefix`. Who decides which are abandoned is you. */
  listUploads(prefix: string, options?: CallOptions): AsyncIterable<PendingUpload>;

  /** Gives an upload up and frees what it takes; that there is none is as good. */
  abortUpload(upload: PendingUpload, options?: CallOptions): Promise<void>;
}
