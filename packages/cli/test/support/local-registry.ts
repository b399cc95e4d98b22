/** A real registry as a process on loopback: Debian's docker-registry, where this machine has it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { eventually } from '@kurator/testenv';

/** Undefined where there is none. */
export const registryProgram = (process.env.PATH ?? '')
  .split(delimiter)
  .map((folder) => join(folder, 'docker-registry'))
  .find(isThere);

/** Runs until it is disposed of. */
export async function localRegistry(program: string): Promise<AsyncDisposable & { readonly host: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'kur-registry-'));
  const host = `127.0.0.1:${await freePort()}`;
  const file = join(folder, 'config.yml');
  const storage = { filesystem: { rootdirectory: join(folder, 'data') } };
  // JSON is YAML too.
  await writeFile(file, JSON.stringify({ version: 0.1, log: { level: 'error' }, storage, http: { addr: host } }));
  const child = spawn(program, ['serve', file], { stdio: 'ignore' });
  const ended = once(child, 'exit');
  await eventually(async () => expectOk(await fetch(`http://${host}/v2/`)), { timeout: '60s' });
  return {
    host,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function expectOk({ ok, status }: Response): void {
  if (!ok) throw new Error(`the registry answers ${status}`);
}

function isThere(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  await new Promise((closed) => server.close(closed));
  return typeof address === 'object' && address ? address.port : 0;
}
