// The scripts are run by a real shell, on processes of the test's own.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { burnScript, lossScript, signalScript, stopBurningScript, traceScript } from './scripts.ts';

/** As `sh -c` does it in an instance, or beside one. */
async function run(script: string, args: readonly string[] = [], path = process.env.PATH) {
  return await new Promise<{ code: number; stdout: string }>((resolve) => {
    const line = ['-c', script, 'drill', ...args];
    execFile('sh', line, { env: { PATH: path }, timeout: 60_000 }, (error, stdout) => {
      resolve({ code: error ? Number(error.code) : 0, stdout });
    });
  });
}

const later = String(Math.ceil(Date.now() / 1000) + 600);
const nobody = 'no-such-container';

describe.runIf(process.platform === 'linux')('what runs beside an instance', () => {
  it.each([
    ['the tracer', traceScript()],
    ['signals', signalScript()],
    ['the loss of packets', lossScript()],
  ])('does not begin when its time is over: %s', async (_, script) => {
    const { code, stdout } = await run(script, [nobody, 'STOP', '1', '1000']);
    expect(code).toBe(3);
    expect(stdout).toContain('it was to begin until second 1000');
    expect(stdout).not.toMatch(/^ok$/m);
  });

  it('holds nobody where it sees no process of the container', async () => {
    for (const script of [traceScript(), signalScript()]) {
      const { code, stdout } = await run(script, [nobody, 'STOP', '1', later]);
      expect({ code, stdout }).toEqual({ code: 3, stdout: 'no process of the container can be seen from here\n' });
    }
  });

  it('says where the tracer is not for the machine, and leaves no file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'kur-'));
    try {
      await writeFile(join(folder, 'uname'), '#!/bin/sh\necho aarch64\n');
      await chmod(join(folder, 'uname'), 0o755);
      const { code, stdout } = await run(traceScript(), [nobody, '14', '1', later], `${folder}:${process.env.PATH}`);
      expect({ code, stdout }).toEqual({ code: 3, stdout: 'the tracer is for amd64 alone\n' });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

describe.runIf(process.platform === 'linux')('a load', () => {
  /** Processes that were begun by a script with this id, but not such as only wait to be buried. */
  async function processesOf(id: string): Promise<string[]> {
    const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
    const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')));
    return lines.filter((line) => line.includes(`kurator-drill-${id}`));
  }
  const untilNone = async (id: string) =>
    await expect.poll(async () => await processesOf(id), { timeout: 30_000 }).toEqual([]);

  it('ends by itself when its time is over', async () => {
    const id = randomBytes(6).toString('hex');
    expect((await run(burnScript(id), ['1', '1'])).code).toBe(0);
    await untilNone(id);
  });

  it('is ended by its id alone, and another one goes on', async () => {
    const [id, other] = [randomBytes(6).toString('hex'), randomBytes(6).toString('hex')];
    await run(burnScript(id), ['2', '60']);
    await run(burnScript(other), ['1', '60']);
    // Two loops, and who ends them.
    await expect.poll(async () => (await processesOf(id)).length, { timeout: 30_000 }).toBe(3);
    expect((await run(stopBurningScript(id))).code).toBe(0);
    await untilNone(id);
    await expect.poll(async () => (await processesOf(other)).length, { timeout: 30_000 }).toBe(2);
    await run(stopBurningScript(other));
    await untilNone(other);
  });
});
