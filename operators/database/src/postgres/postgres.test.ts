// What is made for PostgreSQL, and said to its guard.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GuardControl } from './guard-control.ts';
import { configurationText, synchronousNames } from './parameters.ts';
import { scramVerifier } from './scram.ts';

describe('a configuration', () => {
  const text = (parameters: Readonly<Record<string, string>>) =>
    configurationText({
      parameters,
      synchronous: 'ANY 1 ("a")',
      primaryConnection: undefined,
      socketFolder: '/run/x',
      port: 5432,
    });

  it('has what people want, and what is ours whatever they want', () => {
    expect(text({ work_mem: '16MB', fsync: 'off' })).toContain("work_mem = '16MB'\n");
    expect(text({ fsync: 'off' })).toContain("fsync = 'on'\n");
    expect(text({})).toContain(`synchronous_standby_names = 'ANY 1 ("a")'\n`);
  });

  it('is not left by a value with quotes and line ends', () => {
    expect(text({ work_mem: "1'\nfsync = off\\" })).toContain("work_mem = '1'' fsync = off\\\\'\n");
  });

  it('names nobody where nobody is waited for', () => {
    expect(synchronousNames(0, ['a'])).toBe('');
    expect(synchronousNames(2, ['a', 'b-1', 'c'])).toBe('ANY 2 ("a","b-1","c")');
  });
});

describe('a password', () => {
  // As RFC 7677 has it, with its salt, password and count.
  it('is kept as SCRAM has it', () => {
    const verifier = scramVerifier('pencil', Buffer.from('W22ZaJ0SNY7soEsUEjb6gQ==', 'base64'));
    expect(verifier).toBe(
      'SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=:wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU=',
    );
  });
});

describe('what brain and guard tell each other', () => {
  let folder: string;
  let control: GuardControl;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kurator-guard-'));
    control = new GuardControl(folder);
  });
  afterEach(async () => await rm(folder, { recursive: true }));
  const said = async (name: string) => await readFile(join(folder, name), 'utf8');

  it('has a number for each order, also after the brain has begun anew', async () => {
    await control.order('run');
    await new GuardControl(folder).order('fast');
    expect(await said('order')).toBe('2 fast\n');
  });

  it('has deadlines in hundredths of a second, or none', async () => {
    await control.setDeadline(123_456);
    expect(await said('deadline')).toBe('12345\n');
    await control.setDeadline(undefined);
    expect(await said('deadline')).toBe('none\n');
  });

  it('has no state before the guard has spoken, nor of half a line', async () => {
    expect(await control.state()).toBeUndefined();
    await writeFile(join(folder, 'state'), '100 abc 4');
    expect(await control.state()).toBeUndefined();
  });

  it('has a state with the end of postgres, and of a job', async () => {
    await writeFile(join(folder, 'state'), '100 abc - 137 4 2 0\n');
    expect(await control.state()).toEqual({
      saidAt: 1000,
      boot: 'abc',
      isRunning: false,
      ended: 137,
      order: 4,
      job: 2,
      jobResult: 0,
    });
  });
});
