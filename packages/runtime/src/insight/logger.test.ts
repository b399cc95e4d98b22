import { ClientError } from '@kurator/client';
import { describe, expect, it } from 'vitest';
import { type Logger, lateLogger, silentLogger } from './late-logger.ts';
import { createLogger, type LoggerOptions } from './logger.ts';
import { ReconcileLog } from './reconcile-log.ts';

function written(use: (logger: Logger) => void, options: LoggerOptions = {}) {
  const lines: string[] = [];
  use(createLogger({ level: 'debug', ...options, write: (line) => void lines.push(line) }));
  return lines.map((line) => JSON.parse(line));
}

describe('a log line', () => {
  it('is a JSON object with time, level, fields and message', () => {
    const [line] = written((logger) => logger.child({ controller: 'echo' }).info({ key: 'a/b' }, 'begun'), {
      fields: { operator: 'test' },
    });
    expect(line).toEqual({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      operator: 'test',
      controller: 'echo',
      key: 'a/b',
      message: 'begun',
    });
  });

  it('holds back secrets, in fields, bindings and errors', () => {
    const error = Object.assign(new Error('GET failed with Bearer abcdefghijklmnopqrst'), { token: 'hunter2' });
    const lines = written((logger) => {
      const child = logger.child({ clientSecret: 'hunter2' });
      child.info({ headers: { Authorization: 'hunter2' }, deep: [{ password: 'hunter2' }] }, 'a');
      child.error({ error }, 'b');
      child.warn({ said: ['password=hunter2'] }, 'it said token=hunter2');
      child.error({ error: new Error('outer', { cause: error }) }, 'c');
    });
    expect(JSON.stringify(lines)).not.toMatch(/hunter2|abcdefghij/);
    expect(lines[1].error).toMatchObject({ name: 'Error', message: 'GET failed with Bearer [redacted]' });
    expect(lines[1].error.stack).toContain('logger.test.ts');
    expect(lines[3].error.cause.token).toBe('[redacted]');
  });

  it('keeps what an error says of itself', () => {
    const error = new ClientError('KUR_CLIENT_FORBIDDEN', 'no', { status: 403, reason: 'Forbidden' });
    const [line] = written((logger) => logger.warn({ error }, 'refused'));
    expect(line.error).toMatchObject({ name: 'ClientError', code: 'KUR_CLIENT_FORBIDDEN', status: 403 });
  });

  it('is not written below the level', () => {
    expect(written((logger) => logger.debug({}, 'a'), { level: 'info' })).toEqual([]);
  });
});

describe('a late logger', () => {
  it('loads with the first line, and keeps the order', async () => {
    const lines: unknown[] = [];
    let loads = 0;
    const logger = lateLogger(async () => {
      loads++;
      return createLogger({ level: 'debug', write: (line) => void lines.push(JSON.parse(line)) });
    });
    expect(loads).toBe(0);
    const child = logger.child({ a: 1 });
    logger.info({}, 'first');
    child.warn({}, 'second');
    child.child({ b: 2 }).error({ c: 3 }, 'third');
    await expect.poll(() => lines).toHaveLength(3);
    logger.debug({}, 'fourth');
    expect(lines).toMatchObject([
      { message: 'first' },
      { message: 'second', a: 1 },
      { message: 'third', a: 1, b: 2, c: 3 },
      { message: 'fourth' },
    ]);
    expect(loads).toBe(1);
  });

  it('can be none at all', () => {
    silentLogger.child({}).error({}, 'nobody hears');
  });
});

describe('a reconcile log', () => {
  it('names the object, the outcome and the id that its own lines have', () => {
    const lines = written((logger) => {
      const log = new ReconcileLog(logger, 'echo', 'Echo');
      log.onReconcileStart();
      log.of('a/b').info({}, 'from within');
      log.onReconcileEnd('a/b', { outcome: 'error', durationSeconds: 1, error: new Error('boom'), againInSeconds: 2 });
      log.onReconcileStart();
      log.onReconcileEnd('a/b', { outcome: 'success', durationSeconds: 1 });
    });
    const common = { controller: 'echo', kind: 'Echo', key: 'a/b' };
    expect(lines).toMatchObject([
      { ...common, message: 'from within', level: 'info' },
      { ...common, level: 'warn', outcome: 'error', againInSeconds: 2, error: { message: 'boom' } },
      { ...common, level: 'debug', outcome: 'success' },
    ]);
    expect(lines[0].reconcileId).toBe(lines[1].reconcileId);
    expect(lines[2].reconcileId).not.toBe(lines[1].reconcileId);
  });

  it.each([
    ['permanent', 'error'],
    ['timeout', 'error'],
    ['conflict', 'debug'],
  ] as const)('logs %s at level %s', (outcome, level) => {
    const lines = written((logger) =>
      new ReconcileLog(logger, 'a', 'A').onReconcileEnd('k', { outcome, durationSeconds: 0 }),
    );
    expect(lines).toMatchObject([{ level, outcome }]);
  });
});
