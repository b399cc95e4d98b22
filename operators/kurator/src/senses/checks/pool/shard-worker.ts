/** A thread that runs checks: started by worker-shard.ts, by this file's path. */
import { parentPort, workerData } from 'node:worker_threads';
import { prepareProbe } from '../probes/prepare-probe.ts';
import { CheckLoop } from '../scheduler/check-loop.ts';
import type { CheckStatistics } from '../scheduler/statistics.ts';
import { type EncodedResults, ResultBatch } from './result-batch.ts';
import type { ShardCommand, ShardSettings } from './shard.ts';

/** What the thread says: results as they come, and every second that it is there. */
export interface ShardMessage {
  readonly results?: EncodedResults;
  readonly statistics?: CheckStatistics;
}

/** Good news can wait for company. */
const FLUSH_MS = 20;
const HEARTBEAT_MS = 1000;

const { limits, jitter } = workerData as ShardSettings;
const batch = new ResultBatch();
const versions: number[] = [];
let flushing: NodeJS.Timeout | undefined;
let isUrgent = false;

const loop = new CheckLoop({
  limits,
  jitter,
  prepare: (probe) => prepareProbe(probe),
  onResult(id, result) {
    batch.add(id, versions[id] ?? 0, result);
    if (result.outcome !== 'healthy' && !isUrgent) {
      isUrgent = true;
      setImmediate(flush);
    }
    flushing ??= setTimeout(flush, FLUSH_MS);
    return undefined;
  },
});

function say(message: ShardMessage): void {
  parentPort?.postMessage(message, message.results ? [message.results.numbers.buffer] : []);
}

function flush(): void {
  clearTimeout(flushing);
  flushing = undefined;
  isUrgent = false;
  if (batch.size > 0) say({ results: batch.take() });
}

function obey(command: ShardCommand): void {
  const [what, id, value] = command;
  if (what === 'set') {
    versions[id] = value;
    loop.set(id, command[3]);
  } else if (what === 'remove') loop.remove(id);
  else if (what === 'interval') loop.setInterval(id, value);
  else loop.checkNow(id);
}

parentPort?.on('message', (commands: readonly ShardCommand[]) => {
  for (const command of commands) obey(command);
});
setInterval(() => say({ statistics: loop.statistics() }), HEARTBEAT_MS);
