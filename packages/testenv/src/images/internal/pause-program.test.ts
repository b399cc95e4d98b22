import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { machinePlatform } from '@kurator/registry';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../../test/images/temporary.ts';
import { until } from '../../internal/until.ts';
import { hasPauseProgram, type PauseArchitecture, pauseProgram } from './pause-program.ts';

const SIGCHLD = 17;

const architecture = machinePlatform().architecture as PauseArchitecture;

/** Starts the program and waits until the last thing it does before it pauses is done. */
async function started() {
  const file = join(await temporaryFolder(), 'pause');
  await writeFile(file, pauseProgram(architecture), { mode: 0o755 });
  const child = spawn(file);
  onTestFinished(() => void child.kill('SIGKILL'));
  await until('the handlers', async () => (await signals(child.pid, 'SigCgt')) === 2, { watch: child });
  return child;
}

/** How many signals the kernel says the process treats that way. */
async function signals(pid: number | undefined, field: string): Promise<number> {
  return [...(await mask(pid, field)).toString(2)].filter((bit) => bit === '1').length;
}

async function mask(pid: number | undefined, field: string): Promise<bigint> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return BigInt(`0x${new RegExp(`^${field}:\\s+(\\w+)$`, 'm').exec(status)?.[1]}`);
}

describe.runIf(process.platform === 'linux' && hasPauseProgram(architecture))('the pause program', () => {
  it('ignores the end of children, so that the kernel reaps them', async () => {
    const ignored = await mask((await started()).pid, 'SigIgn');
    expect(ignored & (1n << BigInt(SIGCHLD - 1))).not.toBe(0n);
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('ends well on %s', async (signal) => {
    const child = await started();
    child.kill(signal);
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it('sleeps, also after it was stopped and continued', async () => {
    const child = await started();
    const inState = async (state: string) =>
      (await readFile(`/proc/${child.pid}/stat`, 'utf8')).split(' ')[2] === state;
    await until('it to sleep', async () => await inState('S'), { watch: child });
    child.kill('SIGSTOP');
    await until('it to stop', async () => await inState('T'), { watch: child });
    child.kill('SIGCHLD');
    child.kill('SIGCONT');
    await until('it to sleep again', async () => await inState('S'), { watch: child });
  });
});

it.each([
  ['amd64', 62],
  ['arm64', 183],
] as const)('has a program for %s that begins right after its headers', (name, machine) => {
  const bytes = Buffer.from(pauseProgram(name));
  expect(bytes.readUInt16LE(18)).toBe(machine);
  expect(Number(bytes.readBigUInt64LE(24)) - Number(bytes.readBigUInt64LE(64 + 16))).toBe(64 + 56);
  expect(Number(bytes.readBigUInt64LE(64 + 32))).toBe(bytes.length);
});
