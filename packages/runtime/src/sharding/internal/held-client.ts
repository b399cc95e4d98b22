import type { Client } from '@kurator/client';
import { withGuardedWrites } from '../../leadership/guarded-writes.ts';
import { currentHold } from './current-hold.ts';

/**
 * The same client. What it is asked to write under a right is refused once that has ended, and given up, with all its
 * retries, when the right would end by itself. Reads are anyone's, and so is what is written under no right.
 */
export function heldClient(client: Client): Client {
  return withGuardedWrites(client, currentHold);
}
