import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dockerRegistry } from '../images/docker-registry.ts';
import { freePort } from '../internal/free-port.ts';
import { until } from '../internal/until.ts';

/** A registry that runs until it is disposed of; its images go with it. */
export interface LocalRegistry extends AsyncDisposable {
  /** `localhost:PORT`, as the names of its images begin with it. */
  readonly host: string;
}

/**
 * A real registry on this machine, where a developer's own would be: by plain HTTP, without a password. Clusters that are not
 * closed pull from it. Needs the program `docker-registry`, which nodes need too.
 */
export async function localRegistry(): Promise<LocalRegistry> {
  const folder = await mkdtemp(join(tmpdir(), 'kurator-registry-'));
  const host = `localhost:${await freePort('localhost')}`;
  const { config, command, healthUrl } = dockerRegistry({ address: host, folder: join(folder, 'images') });
  const file = join(folder, 'config.yml');
  await writeFile(file, config);
  const [program, ...args] = command(file);
  const child = spawn(program, args, { stdio: 'ignore' });
  const stop = async () => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
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
  return { host, [Symbol.asyncDispose]: stop };
}
