/** One TCP check in a thread, and what it found: bundled by a test, and run as an image would run it. */
import { CheckScheduler } from '../../../src/senses/checks/check-scheduler.ts';

const scheduler = new CheckScheduler({
  threads: 1,
  onResult({ outcome, message }) {
    process.stdout.write(`${outcome} ${message}`);
    void scheduler.close();
    return undefined;
  },
});
const probe = { kind: 'tcp', host: '127.0.0.1', port: Number(process.argv[2]) } as const;
scheduler.set({ target: 'a', check: 'b', probe, timeoutMs: 10_000, intervalMs: 60_000 });
scheduler.checkNow({ target: 'a', check: 'b' });
