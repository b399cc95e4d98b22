/** Where a redirect leads: only ever to another path of the same server, over a connection to the same address. */
import type { ResponseReader } from './http-response.ts';

const redirecting = new Set([301, 302, 303, 307, 308]);
const LONGEST = 2048;

/** The path to ask next; undefined when the answer is no redirect, or leads elsewhere, and so is to be judged itself. */
export function redirectedPath(
  { status, headers }: Pick<ResponseReader, 'status' | 'headers'>,
  here: URL,
): string | undefined {
  const location = headers.get('location');
  if (!redirecting.has(status) || location === undefined || location.length > LONGEST) return undefined;
  if (!URL.canParse(location, here.href)) return undefined;
  const there = new URL(location, here);
  return there.origin === here.origin ? there.pathname + there.search : undefined;
}
