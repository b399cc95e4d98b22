/** Takes a command and never comes back. */
import { parentPort } from 'node:worker_threads';

parentPort?.once('message', () => {
  for (;;);
});
