/** The operator's program as a container of a snapshot's pod: one task, then its last words. Talks to no API server. */
import { open, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isStoreError } from '@kurator/object-store';
import { Refusal } from '../refusal.ts';
import { LONGEST_REPORT, places, type Report, TASK, type Task } from '../task.ts';
import { fetchSnapshot } from './fetch.ts';
import { take } from './take.ts';
import { check, read, verify } from './verify.ts';

export async function runAgent(): Promise<void> {
  const report = await perform().catch(failed);
  const text = JSON.stringify(report);
  process.stdout.write(`${text}\n`);
  await writeFile(places.report, text);
  process.exit(report.ok ? 0 : 1);
}

async function perform(): Promise<Report> {
  const task = JSON.parse(process.env[TASK] ?? '{}') as Task;
  switch (task.do) {
    case 'take':
      return await take(task);
    case 'fetch':
      return await fetchSnapshot(task);
    case 'verify':
      return await verify(task);
    case 'read':
      return await read(task);
    case 'check':
      return await check(task);
    case 'settle':
      return await settleData(task);
    default:
      throw new Refusal(`${TASK} names no task`);
  }
}

/** One rename: until then there is no data directory, and from then on it is whole. */
async function settleData({ from, to }: Extract<Task, { do: 'settle' }>): Promise<Report> {
  await rename(from, to);
  await using folder = await open(dirname(to));
  await folder.sync();
  return { ok: true };
}

function failed(error: unknown): Report {
  const message = error instanceof Error ? error.message : String(error);
  const why = message.slice(0, LONGEST_REPORT / 4);
  const refused = error instanceof Refusal || isStoreError(error, 'KUR_STORE_KEY', 'KUR_STORE_OPTION');
  return { ok: false, why, ...(refused ? { refused } : {}) };
}
