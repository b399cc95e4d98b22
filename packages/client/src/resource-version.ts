import { isAtLeast, type ServerVersion } from './server-version.ts';

const wellFormed = /^(0|[1-9]\d*)$/;

/**
 * Which of two resourceVersions of one resource type is the newer: negative when `a` is older than `b`. Undefined where
 * that can't be said, because one of them is not a number. Kubernetes promises that this order means something since
 * 1.35, see {@link resourceVersionsAreOrdered}; on older servers, and with other servers behind the API server, only
 * equality does.
 */
export function compareResourceVersions(a: string, b: string): number | undefined {
  if (a === b) return 0;
  if (!wellFormed.test(a) || !wellFormed.test(b)) return undefined;
  // They may be larger than any exact number: longer is larger, and of the same length the text decides.
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : 1;
}

/** Whether this server's resourceVersions may be compared for more than equality. */
export function resourceVersionsAreOrdered(server: ServerVersion): boolean {
  return isAtLeast(server, 1, 35);
}
