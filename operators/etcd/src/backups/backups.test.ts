import { describe, expect, it } from 'vitest';
import { type BackupSituation, decideBackup, statusAfter } from './decide-backup.ts';
import { outdatedAfterNext, retained } from './retention.ts';
import { CRON, dueAt, nextTime, retryDelay } from './schedule.ts';

const minute = 60_000;
const at = (time: string) => Date.parse(`2026-11-19T${time}:00Z`);
const backup = (key: string, time: string, verified = true) => ({
  key,
  revision: 1,
  hash: 1,
  size: 1,
  takenAt: new Date(at(time)).toISOString(),
  ...(verified ? { verifiedAt: new Date(at(time) + minute).toISOString() } : {}),
});
const situation = (over: Partial<BackupSituation>): BackupSituation => ({
  spec: { maxBackups: 2, verify: true, paused: false },
  status: {},
  created: at('01:00'),
  now: at('02:00'),
  pod: undefined,
  obstacle: undefined,
  fresh: { key: 'new', pod: 'pod-new' },
  patience: 40 * minute,
  ...over,
});
const run = { key: 'running', pod: 'pod-running', startedAt: new Date(at('01:59')).toISOString(), remove: ['old'] };

describe('the schedule of backups', () => {
  it.each(['0 3 * * *', '*/5 0-6,22 1 1-12/2 0,6', '59 23 31 12 7'])('takes %s', (text) => {
    expect(text).toMatch(new RegExp(CRON));
    expect(nextTime(text, at('01:00'))).toBeGreaterThan(at('01:00'));
  });

  it.each(['', 'daily', '* * * *', '60 * * * *', '0 24 * * *', '0 0 32 * *', '0 0 * 13 *', '* * * * * *', '0 0 * * 8'])(
    'refuses %j',
    (text) => expect(text).not.toMatch(new RegExp(CRON)),
  );

  it('is due once where there is no schedule, and never again', () => {
    expect(dueAt(undefined, { created: 5, failures: 0, has: false })).toBe(5);
    expect(dueAt(undefined, { created: 5, failures: 0, has: true })).toBeUndefined();
  });

  it('makes up for one of the times that passed while nobody was there', () => {
    const due = dueAt('0 * * * *', { created: at('00:30'), lastStarted: at('01:00'), failures: 0, has: true });
    expect(due).toBe(at('02:00'));
  });

  it('tries a failed one again soon, and then less often', () => {
    const due = dueAt('0 3 * * *', {
      created: 0,
      lastStarted: at('03:00'),
      failures: 1,
      lastFailed: at('03:01'),
      has: true,
    });
    expect(due).toBe(at('03:01') + 10_000);
    expect([1, 2, 3, 20].map(retryDelay)).toEqual([10_000, 20_000, 40_000, 600_000]);
  });
});

describe('the retention of backups', () => {
  it('keeps the newest ones', () => {
    const all = [backup('b', '02:00'), backup('a', '01:00'), backup('c', '03:00')];
    expect(retained(all, 2).map(({ key }) => key)).toEqual(['b', 'c']);
    expect(outdatedAfterNext(all, 2, true)).toEqual(['b', 'a']);
  });

  it('never gives up the last one that was restored', () => {
    const all = [backup('proven', '01:00'), backup('b', '02:00', false), backup('c', '03:00', false)];
    expect(retained(all, 1).map(({ key }) => key)).toEqual(['proven', 'c']);
    expect(outdatedAfterNext(all, 1, false)).toEqual(['b', 'c']);
  });
});

describe('what is done next for a backup', () => {
  it('writes a run down before its pod is made', () => {
    const begin = decideBackup(situation({}));
    expect(begin).toMatchObject({ do: 'begin', run: { key: 'new', pod: 'pod-new', remove: [] } });
    const status = statusAfter(situation({}), begin);
    expect(status).toMatchObject({ phase: 'Running', run: { key: 'new' } });
    expect(decideBackup(situation({ status }))).toMatchObject({ do: 'start', run: { key: 'new' } });
  });

  it('lets the oldest go with the one that takes its place, and what is left of those that failed', () => {
    const status = { backups: [backup('a', '00:10'), backup('b', '00:20')], leftovers: ['failed'] };
    const step = decideBackup(
      situation({ spec: { schedule: '0 * * * *', maxBackups: 2, verify: true, paused: false }, status }),
    );
    expect(step).toMatchObject({ do: 'begin', run: { remove: ['a', 'failed'] } });
  });

  it('counts one when its pod has said that it was restored', () => {
    const entry = { ...backup('running', '01:59'), sha256: 'x', etcdVersion: '3.6.16' };
    const pod = { is: 'done', report: { ok: true, backup: entry, removed: ['old'] } } as const;
    const given = situation({ status: { run, backups: [backup('old', '00:00')], failures: 2 }, pod });
    const status = statusAfter(given, decideBackup(given));
    expect(status.run).toBeUndefined();
    expect(status).toMatchObject({ phase: 'Succeeded', failures: 0, lastBackup: 'running' });
    expect(status.backups?.map(({ key }) => key)).toEqual(['running']);
  });

  it('keeps those that it could not delete in mind', () => {
    const entry = { ...backup('running', '01:59'), sha256: 'x', etcdVersion: '3.6.16' };
    const pod = { is: 'done', report: { ok: true, backup: entry, removed: [] } } as const;
    const backups = [backup('a', '00:00'), backup('b', '00:10')];
    const given = situation({ status: { run, backups, leftovers: ['old'] }, pod });
    expect(statusAfter(given, decideBackup(given))).toMatchObject({ leftovers: ['old', 'a'] });
  });

  it('keeps all others when one fails, and says why', () => {
    const pod = { is: 'failed', why: 'the hash is another', refused: false, there: false } as const;
    const given = situation({ status: { run, backups: [backup('old', '00:00')] }, pod });
    const status = statusAfter(given, decideBackup(given));
    expect(status).toMatchObject({ phase: 'Failed', failures: 1, leftovers: ['running'] });
    expect(status).toMatchObject({ lastFailure: { why: 'the hash is another' }, backups: [{ key: 'old' }] });
  });

  it('gives one up that does not end, and one whose pod is gone for too long', () => {
    const late = situation({ status: { run }, now: at('03:00'), pod: { is: 'pending', why: 'no node' } });
    expect(decideBackup(late)).toMatchObject({ do: 'fail', why: expect.stringContaining('no node') });
    expect(decideBackup({ ...late, pod: undefined })).toMatchObject({ do: 'fail' });
  });

  it('begins none while it is paused, or the cluster does not serve', () => {
    expect(decideBackup(situation({ obstacle: 'no leader' }))).toEqual({ do: 'wait', why: 'no leader' });
    const paused = { maxBackups: 2, verify: true, paused: true };
    expect(decideBackup(situation({ spec: paused }))).toEqual({ do: 'wait', why: 'paused' });
  });
});
