/** A real docker-registry on loopback for one test file. */
import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll } from 'vitest';
import { type LocalRegistry, localRegistry } from '../../src/kit/local-registry.ts';

const isInstalled = (() => {
  try {
    execFileSync('docker-registry', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

/** On a machine without it the rest of the tests still runs; where everything has to run, these fail instead. */
export const canTestRegistry = isInstalled || process.env.CI === 'true';

/** One for all tests of a file; its address is there when they run. */
export function registryOfTests(): { readonly address: string; readonly url: string } {
  let running: LocalRegistry | undefined;
  beforeAll(async () => {
    running = await localRegistry();
  });
  afterAll(async () => await running?.[Symbol.asyncDispose]());
  return {
    get address() {
      return running?.host ?? '';
    },
    get url() {
      return `http://${running?.host}`;
    },
  };
}
