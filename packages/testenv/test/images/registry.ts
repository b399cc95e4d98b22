/** A real docker-registry on loopback for one test file. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { registryProcess } from '../../src/images/registry.ts';
import { until } from '../../src/internal/until.ts';

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

interface RunningRegistry {
  /** `127.0.0.1:PORT` */
  address: string;
  stop(): Promise<void>;
}

async function startRegistry(): Promise<RunningRegistry> {
  const folder = await mkdtemp(join(tmpdir(), 'kurator-registry-'));
  const address = `127.0.0.1:${await freePort()}`;
  const { config, command, healthUrl } = registryProcess({ address, folder: join(folder, 'images') });
  const configFile = join(folder, 'config.yml');
  await writeFile(configFile, config);
  const [program, ...args] = command(configFile);
  const child: ChildProcess = spawn(program, args, { stdio: 'ignore' });
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await once(child, 'spawn');
    await until('the registry to answer', async () => (await fetch(healthUrl)).ok, { watch: child });
  } catch (error) {
    await stop();
    throw error;
  }
  return { address, stop };
}

/** One for all tests of a file; its address is there when they run. */
export function registryOfTests(): { readonly address: string; readonly url: string } {
  let running: RunningRegistry | undefined;
  beforeAll(async () => {
    running = await startRegistry();
  });
  afterAll(async () => await running?.stop());
  return {
    get address() {
      return running?.address ?? '';
    },
    get url() {
      return `http://${running?.address}`;
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  await new Promise((closed) => server.close(closed));
  return typeof address === 'object' && address ? address.port : 0;
}
