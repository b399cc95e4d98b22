/** Opens connections to addresses for a few seconds, and measures how long each took. */
import { setTimeout as delay } from 'node:timers/promises';
import type { CheckResult } from '../checks/check-result.ts';
import { CheckScheduler } from '../checks/check-scheduler.ts';
import { type Address, mostOpenings, type Opening } from './message.ts';

/** For how long connections are opened, and how many are under way to one address at once. */
const roundMs = 4000;
const lanes = 4;
/** Between two openings of a lane. */
const everyMs = 400;
/** Long enough for two lost SYNs, which cost 3 s. */
const timeoutMs = 3500;

/** Measures each address some forty times; fewer where packets are lost, since a lost one is waited for. */
export async function measure(addresses: readonly Address[], signal: AbortSignal): Promise<Opening[][]> {
  const rows: CheckResult[][] = addresses.map(() => []);
  const scheduler = new CheckScheduler({
    threads: 0,
    onResult(result) {
      rows[Number(result.target)]?.push(result);
      return undefined;
    },
  });
  for (const [index, { host, port }] of addresses.entries()) {
    for (let lane = 0; lane < lanes; lane++) {
      const key = { target: String(index), check: String(lane) };
      scheduler.set({ ...key, probe: { kind: 'tcp', host, port }, timeoutMs, intervalMs: everyMs });
    }
  }
  try {
    await delay(roundMs, undefined, { signal });
  } finally {
    await scheduler.close();
  }
  const now = Date.now();
  return rows.map((row) => row.flatMap((result) => openingOf(result, now)).slice(-mostOpenings));
}

/** Refusals and the agent's own trouble say nothing about the way. */
function openingOf({ at, connectMs, errorKind, latencyMs }: CheckResult, now: number): Opening[] {
  const ago = Math.max(0, Math.round(now - at));
  if (connectMs !== undefined) return [[ago, short(connectMs), true]];
  return errorKind === 'connect-timeout' ? [[ago, short(latencyMs), false]] : [];
}

/** Thousands of them have to fit into an answer. */
function short(milliseconds: number): number {
  return Math.round(milliseconds * 100) / 100;
}
