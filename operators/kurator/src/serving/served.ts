import type { HeldBack } from '../healing/memory.ts';

/** What came of making a service as its Kurator describes it. */
export interface Served {
  /** Why something could not be applied; missing when all was. What is there is looked after all the same. */
  readonly problem?: string;
  /** Why nothing was applied: the workload of that name is somebody else's. */
  readonly stranger?: string;
  /** What is held back; missing when what is wanted is what runs. */
  readonly heldBack?: HeldBack;
  /** A checksum of the template that the spec wants. */
  readonly wanted: string;
}
