/** The threads of checks in a program that was bundled, as in an operator's image. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { build } from 'esbuild';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { rawServer } from '../../../../test/support/checks/raw-server.ts';

const program = join(import.meta.dirname, '..', '..', '..', '..', 'test', 'support', 'checks', 'check-in-thread.ts');
const thread = join(import.meta.dirname, 'shard-worker.ts');
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kurator-bundle-'));
});
afterEach(async () => await rm(folder, { recursive: true }));

async function run(programs: Readonly<Record<string, string>>, port: number) {
  const entryPoints = Object.entries({ main: program, ...programs }).map(([out, path]) => ({ out, in: path }));
  // esbuild keeps the working folder that it was loaded in, which another file of tests may have removed since.
  const absWorkingDir = import.meta.dirname;
  const asProgram = { bundle: true, platform: 'node', format: 'esm', target: 'node22' } as const;
  await build({ absWorkingDir, entryPoints, outdir: folder, ...asProgram });
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  const child = spawn(process.execPath, [join(folder, 'main.js'), String(port)], { stdio: 'pipe' });
  const [said, complained] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { said, complained };
}

describe('a bundled program', () => {
  it('runs its checks in threads, with the bundle of the thread beside it', async () => {
    await using server = await rawServer((socket) => socket.resume());
    expect(await run({ 'shard-worker': thread }, server.port)).toEqual({ said: 'healthy ', complained: '' });
  });

  it('fails at its start where that is missing, and says what to do', async () => {
    const { said, complained } = await run({}, 1);
    expect(said).toBe('');
    expect(complained).toContain(
      'Bundle src/senses/checks/pool/shard-worker.ts of the healer as shard-worker.js, beside',
    );
  });
});
