/** What can go wrong with a download: whether another attempt may help, and how to say it. */
import { TestenvError } from '../error.ts';

/** A server's answer that is not the file. */
export class HttpStatusError extends Error {
  readonly status: number;

  constructor(url: string, status: number) {
    super(`${new URL(url).host} answered ${status}`);
    this.status = status;
  }
}

const ATTEMPTS = 5;
/** A server that can't be reached at all is asked fewer times: the next source is waiting. */
const ATTEMPTS_TO_CONNECT = 2;

/** Answers that may be different a moment later; 416 is the answer to a resumption that went wrong. */
const passingStatus = new Set([408, 416, 425, 429, 500, 502, 503, 504]);

const localTrouble = new Set<unknown>(['ENOSPC', 'EDQUOT', 'EACCES', 'EROFS', 'EMFILE']);

const unreachable = new Set<unknown>([
  'ENOTFOUND',
  'EAI_AGAIN',
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENETDOWN',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** How many attempts in all are worth it, judged by how one of them failed. */
export function attemptsFor(error: unknown): number {
  if (error instanceof TestenvError || isLocal(error)) return 1;
  if (error instanceof HttpStatusError) return passingStatus.has(error.status) ? ATTEMPTS : 1;
  return isUnreachable(error) ? ATTEMPTS_TO_CONNECT : ATTEMPTS;
}

/**
 * The error that a person gets: `KUR_TESTENV_UNKNOWN_VERSION` for a file that is not there, `KUR_TESTENV_UNREACHABLE`
 * for a server that can't be reached, `KUR_TESTENV_DOWNLOAD` for anything else that is not this machine's fault.
 */
export function nameTrouble(error: unknown, url: string, tries: number): unknown {
  if (error instanceof TestenvError || isLocal(error)) return error;
  if (error instanceof HttpStatusError && error.status === 404) {
    return new TestenvError('KUR_TESTENV_UNKNOWN_VERSION', `There is no ${url} (404).`, { cause: error });
  }
  const code = isUnreachable(error) ? 'KUR_TESTENV_UNREACHABLE' : 'KUR_TESTENV_DOWNLOAD';
  const times = tries === 1 ? '' : ` (tried ${tries} times)`;
  return new TestenvError(code, `${url} could not be fetched: ${innermost(error).message}${times}`, {
    remedy: 'Check the connection and HTTPS_PROXY, HTTP_PROXY and NO_PROXY.',
    cause: error,
  });
}

function isLocal(error: unknown): boolean {
  return localTrouble.has((error as NodeJS.ErrnoException | undefined)?.code);
}

function isUnreachable(error: unknown): boolean {
  const cause = innermost(error) as NodeJS.ErrnoException;
  return unreachable.has(cause.code) || /certificate|self-signed|Proxy response/i.test(cause.message);
}

/** `fetch` wraps what happened in "fetch failed", and a host with several addresses wraps it once more. */
function innermost(error: unknown): Error {
  if (error instanceof AggregateError && error.errors[0] instanceof Error) return innermost(error.errors[0]);
  if (error instanceof Error && error.cause instanceof Error) return innermost(error.cause);
  return error instanceof Error ? error : new Error(String(error));
}
