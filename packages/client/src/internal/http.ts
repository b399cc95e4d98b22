/** What goes over the wire, before the transport adds address and credentials. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Guard } from '../options.ts';

/** Verbs that the API server knows. */
export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** One request, before the transport adds address and credentials. */
export interface HttpRequest {
  readonly method: HttpMethod;
  readonly path: string;
  /** What is being done, in words, for messages: `get Pod default/web`. */
  readonly doing: string;
  readonly body?: string;
  readonly contentType?: string;
  readonly accept?: string;
  readonly guard?: Guard | undefined;
}

/** A whole answer. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** An answer that is still coming in. */
export interface HttpStream {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: AsyncIterable<Uint8Array>;
}
