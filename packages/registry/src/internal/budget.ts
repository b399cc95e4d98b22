/** How often a host may be asked: what its answers said of it, and how long it wants to be left alone. */

/** What a host last said about how often it may be asked. */
export interface Budget {
  /** How many requests a window has. */
  readonly limit: number | undefined;
  /** How many of them are left. */
  readonly remaining: number | undefined;
  /** The window's length in seconds. */
  readonly window: number | undefined;
  /** Until when nobody here asks it. */
  readonly restsUntil: Date | undefined;
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** In milliseconds: after a refusal without a time, doubled with each that follows. */
const FIRST_REST = 1_000;
const LONGEST_REST = 60_000;
/** A host that asks for more is asked again after this, and may say it again. */
const LONGEST_PROMISE = 24 * 60 * 60 * 1000;
/** A number this large is a time, not a number of seconds from now. */
const EPOCH = 1_000_000_000;

export class HostBudget {
  #limit: number | undefined;
  #remaining: number | undefined;
  #window: number | undefined;
  #restsUntil = 0;
  #refusals = 0;

  /** When the host may be asked again; undefined if now. */
  get retryAt(): Date | undefined {
    return this.#restsUntil > Date.now() ? new Date(this.#restsUntil) : undefined;
  }

  get state(): Budget {
    return { limit: this.#limit, remaining: this.#remaining, window: this.#window, restsUntil: this.retryAt };
  }

  /** Takes in what an answer says. */
  hear(status: number, headers: Headers): void {
    const limit = amount(headers, ['ratelimit-limit', 'x-ratelimit-limit']);
    const remaining = amount(headers, ['ratelimit-remaining', 'x-ratelimit-remaining']);
    if (limit) [this.#limit, this.#window] = [limit.value, limit.window ?? this.#window];
    if (remaining) [this.#remaining, this.#window] = [remaining.value, remaining.window ?? this.#window];
    if (status === 429 || (status === 503 && retryAfter(headers) !== undefined)) this.#rest(headers);
    else if (status < 400) this.#refusals = 0;
    // Where it doesn't say when that ends, what costs nothing (Docker Hub: HEAD) still goes.
    if (remaining?.value === 0) this.#restUntil(resetOf(headers));
  }

  #rest(headers: Headers): void {
    const pause = Math.min(LONGEST_REST, FIRST_REST * 2 ** this.#refusals++);
    this.#restUntil(retryAfter(headers) ?? resetOf(headers) ?? Date.now() + pause);
  }

  #restUntil(time: number | undefined): void {
    if (time === undefined) return;
    this.#restsUntil = Math.max(this.#restsUntil, Math.min(time, Date.now() + LONGEST_PROMISE));
  }
}

/** The time that `Retry-After` names, as seconds or as a date; undefined where it names none. */
function retryAfter(headers: Headers): number | undefined {
  const text = first(headers['retry-after']);
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text.trim())) return Date.now() + Number(text) * 1000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : date;
}

function resetOf(headers: Headers): number | undefined {
  const reset = amount(headers, ['ratelimit-reset', 'x-ratelimit-reset'])?.value;
  if (reset === undefined) return undefined;
  return reset > EPOCH ? reset * 1000 : Date.now() + reset * 1000;
}

/** `100;w=21600`: Docker Hub says the window along. */
function amount(headers: Headers, names: readonly string[]): { value: number; window: number | undefined } | undefined {
  for (const name of names) {
    const [, value, window] = /^\s*(\d{1,15})(?:\s*;\s*w=(\d{1,9}))?/.exec(first(headers[name]) ?? '') ?? [];
    if (value !== undefined) return { value: Number(value), window: window === undefined ? undefined : Number(window) };
  }
  return undefined;
}

function first(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
