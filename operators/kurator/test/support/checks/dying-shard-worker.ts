/** Dies with its first command if it is the first to find the file that its settings name missing; else it serves. */
import { existsSync, writeFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';

const { diedOnce } = workerData as { diedOnce: string };
if (existsSync(diedOnce)) {
  await import('../../../src/senses/checks/pool/shard-worker.ts');
} else {
  parentPort?.once('message', () => {
    writeFileSync(diedOnce, '');
    throw new Error('dies');
  });
}
