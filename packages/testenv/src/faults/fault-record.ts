import type { FaultKindName, FaultRequest } from './fault-request.ts';

/** A fault that is there now. */
export interface FaultRecord {
  /** Its name in this cluster: a number, never used twice. */
  readonly id: string;
  readonly kind: FaultKindName;
  readonly request: FaultRequest;
  /** What it does, in one line. */
  readonly description: string;
  /** RFC 3339. */
  readonly since: string;
  /** When it heals by itself, RFC 3339. */
  readonly until?: string;
}
