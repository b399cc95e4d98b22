/** Sends by HTTP. What an endpoint answers beside its status is neither read nor shown: it may repeat what it was sent. */
import { SinkError } from './sink.ts';

/** Said of what was sent; anything else is about the endpoint, which may come back or be put right. */
const aboutAlert: ReadonlySet<number> = new Set([400, 413, 422]);
const LONGEST_RETRY_AFTER = 3_600_000;

/**
 * Takes anything from 200 to 299 for a yes. Redirects are not followed: what is sent may hold a secret, and is not meant
 * for whoever the endpoint points to.
 */
export async function post(url: string, body: string, headers: Headers, signal: AbortSignal): Promise<void> {
  const host = hostOf(url);
  const answer = await fetch(url, { method: 'POST', body, headers, signal, redirect: 'manual' }).catch((error) => {
    throw new SinkError(signal.aborted ? `${host} did not answer in time` : `${host}: ${codeOf(error)}`);
  });
  // Its status has said it all; a body that never ends must not make a failure of it.
  await answer.body?.cancel().catch(() => {});
  if (answer.ok) return;
  const hint = answer.status >= 300 && answer.status < 400 ? ', and redirects are not followed' : '';
  throw new SinkError(`${host} answered ${answer.status}${hint}`, {
    isAboutAlert: aboutAlert.has(answer.status),
    retryAfter: retryAfterOf(answer.headers.get('retry-after'), Date.now()),
  });
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
export function retryAfterOf(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
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

function codeOf(error: unknown): string {
  const { cause } = error as { cause?: { code?: unknown } };
  return typeof cause?.code === 'string' ? `no connection, ${cause.code}` : 'no connection';
}
