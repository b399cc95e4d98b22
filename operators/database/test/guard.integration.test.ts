// The guard as a process, in this machine's own sh, with a program that stands for postgres: it starts, stops and kills it by files.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@kurator/testenv';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GUARD } from '../src/postgres/guard.ts';
import { GuardControl, uptime } from '../src/postgres/guard-control.ts';

let folder: string;
let control: GuardControl;
let guard: ChildProcess;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kurator-guard-'));
  for (const name of ['bin', 'shared', 'data']) await mkdir(join(folder, name));
  control = new GuardControl(join(folder, 'shared'));
  await standIn(0);
  guard = start();
  // What was ordered before it is there is from before.
  await untilState({ isRunning: false });
});
afterEach(async () => {
  endAll();
  await rm(folder, { recursive: true, force: true });
});

/** What it has started too: nobody else would, once it is gone. */
function endAll(): void {
  try {
    process.kill(-(guard.pid as number), 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/**
 * Ends by SIGINT with 0, and by SIGQUIT with that code; undefined: not at all. A script of sh can't: what it starts in the background can't
 * hear these, unless it says so itself, as postgres does.
 */
async function standIn(codeByQuit: number | undefined): Promise<void> {
  const path = join(folder, 'bin', 'postgres');
  const byQuit = codeByQuit === undefined ? '{}' : `process.exit(${codeByQuit})`;
  const program = `process.on('SIGINT', () => process.exit(0)); process.on('SIGQUIT', () => ${byQuit}); setInterval(() => {}, 1000); require('node:fs').writeFileSync(process.env.PGDATA + '/up', '');`;
  await writeFile(path, `#!${process.execPath}\n${program}\n`);
  await chmod(path, 0o755);
}

function start(): ChildProcess {
  const env = {
    PATH: `${join(folder, 'bin')}:${process.env.PATH}`,
    GUARD_DIR: join(folder, 'shared'),
    PGDATA: join(folder, 'data'),
    PGMAJOR: 'none',
  };
  return spawn('sh', ['-c', GUARD], { env, stdio: 'ignore', detached: true });
}

/** A signal before it listens would end it as it ends any program. */
async function untilItRuns(): Promise<void> {
  await untilState({ isRunning: true });
  await eventually(async () => await access(join(folder, 'data', 'up')));
  await rm(join(folder, 'data', 'up'));
}

const untilState = async (wanted: object) =>
  await eventually(async () => expect(await control.state()).toMatchObject(wanted));

describe('the guard', () => {
  it('runs postgres once it has a deadline, and not before', async () => {
    await control.order('run');
    await untilState({ order: 1, isRunning: false });
    await control.setDeadline(undefined);
    await control.order('run');
    await untilState({ order: 2, isRunning: true });
  });

  it('ends it in order, and says how it ended', async () => {
    await control.setDeadline(undefined);
    await control.order('run');
    await untilItRuns();
    await control.order('fast');
    await untilState({ isRunning: false, ended: 0, order: 2 });
  });

  it('ends it past its deadline', async () => {
    await standIn(7);
    const until = (await uptime()) + 4000;
    await control.setDeadline(until);
    await control.order('run');
    await untilItRuns();
    await untilState({ isRunning: false, ended: 7 });
    expect(await uptime()).toBeGreaterThanOrEqual(until);
    await control.order('run');
    await untilState({ order: 2, isRunning: false });
  });

  it('lets it run on where the deadline is put off', async () => {
    const until = (await uptime()) + 3000;
    await control.setDeadline(until);
    await control.order('run');
    await untilItRuns();
    await control.setDeadline(until + 60_000);
    await eventually(async () => expect((await control.state())?.saidAt).toBeGreaterThan(until + 300));
    await untilState({ isRunning: true });
  });

  it('kills what does not end by itself', async () => {
    await standIn(undefined);
    await control.setDeadline((await uptime()) + 4000);
    await control.order('run');
    await untilItRuns();
    await untilState({ isRunning: false, ended: 137 });
  });

  it('runs jobs beside a postgres that is stopped, and says what came of them', async () => {
    const number = await control.startJob('echo done for; exit 3');
    await untilState({ job: number, jobResult: 3 });
    expect(await control.jobLog()).toBe('done for');
    await control.setDeadline(undefined);
    await control.order('run');
    await untilItRuns();
    await control.startJob('exit 0');
    await control.order('fast');
    await untilState({ isRunning: false, job: number + 1, jobResult: 0 });
  });

  it('carries out no order from before it was started', async () => {
    await control.setDeadline(undefined);
    await control.order('run');
    await untilItRuns();
    const { boot } = (await control.state()) ?? {};
    await control.order('fast');
    await untilState({ isRunning: false });
    await control.order('run');
    await untilItRuns();
    await control.order('fast');
    await untilState({ isRunning: false, order: 4 });
    guard.kill('SIGKILL');
    // Given while nobody was there: whoever gave it looks first, and gives it again.
    await control.order('run');
    guard = start();
    await eventually(async () => expect((await control.state())?.boot).not.toBe(boot));
    await untilState({ isRunning: false, order: 5 });
  });

  it('ends with its container, postgres first', async () => {
    await control.setDeadline(undefined);
    await control.order('run');
    await untilItRuns();
    guard.kill('SIGTERM');
    expect(await once(guard, 'exit')).toEqual([0, null]);
    expect(await readFile(join(folder, 'shared', 'state'), 'utf8')).toMatch(/^\d+ \w+ - 0 /);
  });
});
