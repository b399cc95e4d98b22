import { onTestFinished } from 'vitest';
import type { Manager } from '../../src/manager/manager.ts';

/** Runs it until the test ends; the result is `stopped`, or the error that it ended with. */
export function runInTest(manager: Manager): Promise<unknown> {
  const running = manager.run().then(
    () => 'stopped',
    (error) => error,
  );
  onTestFinished(async () => {
    manager.stop();
    await running;
  });
  return running;
}
