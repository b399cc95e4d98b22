// The program is bytes that no compiler has seen: it is run here, on processes of the test's own.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HOLD, holdProgram, KILL } from './hold-program.ts';

/** Whether others than root may hold what is not their child is a setting of the machine. */
const mayTrace = process.platform === 'linux' && process.arch === 'x64' && process.getuid?.() === 0;

describe.runIf(mayTrace)('the program that holds processes still', () => {
  let folder: string;
  let program: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kur-'));
    program = join(folder, 'hold');
    await writeFile(program, holdProgram(), { mode: 0o700 });
  });
  afterAll(async () => await rm(folder, { recursive: true, force: true }));

  /** One with several threads. */
  async function victim(): Promise<ChildProcess & { pid: number }> {
    const child = spawn(process.execPath, ['-e', "console.log('up'); setInterval(() => {}, 10)"]);
    await once(child.stdout, 'data');
    return child as ChildProcess & { pid: number };
  }

  const threadsOf = async (pid: number) => await readdir(`/proc/${pid}/task`);

  async function states(pid: number): Promise<string[]> {
    const texts = (await threadsOf(pid)).map((tid) => readFile(`/proc/${pid}/task/${tid}/status`, 'utf8'));
    return (await Promise.all(texts)).map((text) => /State:\t(\S)/.exec(text)?.[1] ?? '');
  }

  async function hold(options: number, seconds: number, tids: readonly string[]): Promise<ChildProcess> {
    const holder = spawn(program, [String(options), String(seconds), ...tids]);
    const [said] = await once(holder.stdout, 'data');
    expect(String(said)).toBe('ok\n');
    return holder;
  }

  const allHeld = (all: readonly string[]) => all.length > 1 && all.every((state) => state === 't');

  it('holds all threads, and the kernel lets go of them however it ends', async () => {
    const child = await victim();
    const holder = await hold(HOLD, 60, await threadsOf(child.pid));
    await expect.poll(async () => allHeld(await states(child.pid)), { timeout: 30_000 }).toBe(true);
    holder.kill('SIGKILL');
    await expect.poll(async () => (await states(child.pid)).includes('t'), { timeout: 30_000 }).toBe(false);
    child.kill('SIGKILL');
  });

  it('lets go by itself when its time is over', async () => {
    const child = await victim();
    const holder = await hold(HOLD, 1, await threadsOf(child.pid));
    expect(await once(holder, 'exit')).toEqual([0, null]);
    await expect.poll(async () => (await states(child.pid)).includes('t'), { timeout: 30_000 }).toBe(false);
    child.kill('SIGKILL');
  });

  it('kills where it is told so', async () => {
    const child = await victim();
    const ended = once(child, 'exit');
    await hold(KILL, 0, await threadsOf(child.pid));
    expect(await ended).toEqual([null, 'SIGKILL']);
  });

  it.each([[[]], [['14', '1']], [['14', '1', '999999999']]])(
    'fails where there is nothing to hold: %j',
    async (args) => {
      expect(await once(spawn(program, args), 'exit')).toEqual([1, null]);
    },
  );
});

it('is one small file', () => {
  expect([...holdProgram().slice(0, 4)]).toEqual([0x7f, 0x45, 0x4c, 0x46]);
  expect(holdProgram().length).toBe(300);
});
