/** Some of the checks, run together: in this thread, or in one of its own. */
import type { Check } from '../check.ts';
import type { Measurement } from '../check-result.ts';
import type { GateLimits } from '../scheduler/fair-gate.ts';
import type { CheckStatistics } from '../scheduler/statistics.ts';

/** What every shard can do; checks have the numbers that the scheduler gave them. */
export interface Shard {
  set(id: number, check: Check): void;
  remove(id: number): void;
  setInterval(id: number, intervalMs: number): void;
  checkNow(id: number): void;
  statistics(): CheckStatistics;
  close(): Promise<void>;
}

/** Gets each result; the number it gives is the check's interval from now on. */
export type OnShardResult = (id: number, result: Measurement) => number | undefined;

/** What a thread is started with. */
export interface ShardSettings {
  readonly limits: GateLimits;
  readonly jitter: number;
}

/** What a thread is told, in this order. */
export type ShardCommand =
  | readonly ['set', id: number, version: number, check: Check]
  | readonly ['remove', id: number]
  | readonly ['interval', id: number, intervalMs: number]
  | readonly ['now', id: number];
