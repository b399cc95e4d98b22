/** What moves requests to one API server and answers back: http1/ has the one there is. */
import type { Guard } from '../options.ts';
import type { Deadline } from './deadline.ts';
import type { HttpAnswer, HttpMethod, HttpStream } from './http.ts';

/** A request with everything that goes over the wire. */
export interface WireRequest {
  readonly method: HttpMethod;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | undefined;
  readonly guard?: Guard | undefined;
}

/** Connections that were made with one set of TLS material. */
export interface Engine {
  /** A request and its whole answer. The deadline stays the caller's to end. */
  exchange(request: WireRequest, deadline: Deadline): Promise<HttpAnswer>;
  /** A request whose answer comes in pieces. `idleTimeout`: milliseconds without a byte after which it counts as dead. */
  open(request: WireRequest, deadline: Deadline, idleTimeout: number): Promise<HttpStream>;
  /** Lets what is under way end, and takes nothing new; resolves when all has ended. */
  close(): Promise<void>;
  /** Ends everything now. */
  destroy(): void;
}

/** The request's guard did not let it go out; the cause is what it threw. */
export class HeldBack extends Error {
  override readonly name = 'HeldBack';
}

/** Throws HeldBack unless the request may go out at this instant. */
export function letOut(guard: Guard | undefined): void {
  try {
    guard?.();
  } catch (cause) {
    throw new HeldBack('the request was held back', { cause });
  }
}

/** The stream had no byte for too long. */
export class StreamWentQuiet extends Error {
  override readonly name = 'StreamWentQuiet';
}

/** The connection ended before the answer did. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
  readonly code = 'CONNECTION_LOST';
}

/** The answer has more bytes than a text can have. */
export class AnswerTooLong extends Error {
  override readonly name = 'AnswerTooLong';
  readonly code = 'ANSWER_TOO_LONG';
}
