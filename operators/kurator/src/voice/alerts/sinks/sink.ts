/** Where an alert goes: each sink knows one way of writing it. */
import type { Reach } from '../../../access/reach.ts';
import type { Alert } from '../alert.ts';

/** Delivers one alert, or throws. */
export type Sink = (alert: Alert, signal: AbortSignal) => Promise<void>;

/** Reads a key of a Secret. */
export type ReadSecret = (reference: { name: string; key: string }) => Promise<string>;

/** What a sink may know beside its settings. */
export interface SinkTools {
  readonly secret: ReadSecret;
  /** What may be talked to. */
  readonly reach: Reach;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Says what should be looked into, though the alert was delivered. */
  readonly warn: (message: string) => void;
}

/** More about what went wrong. */
export interface SinkErrorOptions {
  isAboutAlert?: boolean;
  retryAfter?: number | undefined;
  detail?: string | undefined;
}

/**
 * A sink did not take an alert. Its message is shown to whoever may read the channel: it holds no secret, and of what is at
 * the address no more than one of a few words, for somebody may only want to know what is there.
 */
export class SinkError extends Error {
  override readonly name = 'SinkError';
  /** Whether it is this alert that will never be taken; else the sink may come back, or a person mends the channel. */
  readonly isAboutAlert: boolean;
  /** Milliseconds that it asks to be left alone. */
  readonly retryAfter: number | undefined;
  /** More, for the operator's own log. */
  readonly detail: string | undefined;

  constructor(message: string, { isAboutAlert = false, retryAfter, detail }: SinkErrorOptions = {}) {
    super(message);
    this.isAboutAlert = isAboutAlert;
    this.retryAfter = retryAfter;
    this.detail = detail;
  }
}

/** A URL that stands in the channel, or in a Secret, since it may be one. */
export async function addressOf(
  { url, urlFrom }: { url?: string | undefined; urlFrom?: { name: string; key: string } | undefined },
  secret: ReadSecret,
): Promise<string> {
  if (url !== undefined) return url;
  if (urlFrom) return await secret(urlFrom);
  throw new SinkError('the channel has neither url nor urlFrom');
}
