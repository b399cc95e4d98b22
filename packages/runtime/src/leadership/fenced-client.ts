import type { Client } from '@kurator/client';
import { withGuardedWrites } from './guarded-writes.ts';

/**
 * The same client, which acts only while `fence` lets it: every create, replace, patch, apply, delete and command in a
 * container is refused once this process isn't surely the leader any more, also when that is found out only while it
 * waits for a connection or to be sent again. Reads are anyone's.
 */
export function fencedClient(client: Client, fence: () => void): Client {
  const right = { fence };
  return withGuardedWrites(client, () => right);
}
