/** Sends by HTTP. What an endpoint answers beside its status is neither read nor shown: it may repeat what it was sent. */
import { AddressRefused, type Reach } from '../../../access/reach.ts';
import { send } from '../../../access/send.ts';
import { SinkError } from './sink.ts';

/** Said of what was sent; anything else is about the endpoint, which may come back or be put right. */
const aboutAlert: ReadonlySet<number> = new Set([400, 413, 422]);
const LONGEST_RETRY_AFTER = 3_600_000;

/** Takes anything from 200 to 299 for a yes. */
export async function post(
  url: string,
  body: string,
  headers: Headers,
  { signal, reach }: { signal: AbortSignal; reach: Reach },
): Promise<void> {
  const host = hostOf(url);
  const { status, retryAfter } = await send(url, { body, headers, signal }, reach).catch((error) => {
    throw unreached(host, error, signal);
  });
  if (status >= 200 && status < 300) return;
  throw new SinkError(`${host} ${answers[Math.floor(status / 100)] ?? 'gave no proper answer'}`, {
    isAboutAlert: aboutAlert.has(status),
    retryAfter: retryAfterOf(retryAfter, Date.now()),
    detail: `it answered ${status}`,
  });
}

/** What is said of an answer, by the first digit of its status. */
const answers: Readonly<Record<number, string>> = {
  3: 'redirects, and redirects are not followed',
  4: 'refused it',
  5: 'is in trouble',
};

/** Why nobody answered, in words that are the same whatever is there. */
export function unreached(host: string, error: unknown, signal: AbortSignal): SinkError {
  const { code } = error as { code?: unknown };
  if (error instanceof AddressRefused) {
    return new SinkError(`${host} must not be talked to: allow its address in the operator's settings if it may be`);
  }
  const why = signal.aborted ? 'did not answer in time' : "can't be reached";
  return new SinkError(`${host} ${why}`, { detail: typeof code === 'string' ? code : undefined });
}

/** Headers of a request; of names that are given twice, however they are written, the last one counts. */
export function headersOf(...given: readonly (Readonly<Record<string, string>> | undefined | false | '')[]): Headers {
  const headers = new Headers();
  for (const [name, value] of given.flatMap((some) => Object.entries(some || {}))) {
    try {
      headers.set(name, value);
    } catch {
      // biome-ignore lint/style/useErrorCause: the cause quotes the value, which may be a secret.
      throw new SinkError(
        `header ${name} can't be sent: its name or its value has a character that no header may have`,
      );
    }
  }
  return headers;
}

/** Milliseconds that an endpoint asks to be left alone, which it says in seconds or as a date. An hour at most. */
export function retryAfterOf(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  const milliseconds = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  return milliseconds >= 0 ? Math.min(milliseconds, LONGEST_RETRY_AFTER) : undefined;
}

/** The rest of an address may be a secret. */
function hostOf(url: string): string {
  if (!URL.canParse(url) || !/^https?:/i.test(url)) throw new SinkError('its address is no http or https URL');
  const { host, username, password } = new URL(url);
  if (username || password) throw new SinkError(`the address of ${host} must not hold a user or a password`);
  return host;
}
