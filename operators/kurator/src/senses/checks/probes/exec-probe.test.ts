import { describe, expect, it } from 'vitest';
import { patiently, runProbe } from '../../../../test/support/checks/run-probe.ts';
import type { ExecProbe } from '../check.ts';
import type { Exec, ExecRequest } from './exec-probe.ts';

const probe: ExecProbe = {
  kind: 'exec',
  namespace: 'shop',
  pod: 'web-0',
  container: 'web',
  command: ['/bin/ok', '-q'],
};

describe('a command in a container', () => {
  it('is healthy when it ends with 0', async () => {
    let asked: ExecRequest | undefined;
    const exec: Exec = (request) => {
      asked = request;
      return Promise.resolve({ exitCode: 0, output: 'fine' });
    };
    expect(await runProbe(probe, { ...patiently, exec })).toEqual({ outcome: 'healthy', message: '' });
    expect(asked).toMatchObject({ namespace: 'shop', pod: 'web-0', container: 'web', command: ['/bin/ok', '-q'] });
  });

  it('fails when it ends otherwise, and says what it said', async () => {
    const exec: Exec = () => Promise.resolve({ exitCode: 3, output: 'queue is full\n' });
    expect(await runProbe(probe, { ...patiently, exec })).toEqual({
      outcome: 'failing',
      errorKind: 'exit-code',
      message: 'ended with 3: queue is full',
    });
  });

  it('fails when it was started and does not end, and is then broken off', async () => {
    let signal: AbortSignal | undefined;
    const exec: Exec = (request) => {
      signal = request.signal;
      request.started();
      return new Promise(() => {});
    };
    expect(await runProbe(probe, { within: 50, exec })).toMatchObject({
      outcome: 'failing',
      errorKind: 'exec-timeout',
    });
    expect(signal?.aborted).toBe(true);
  });

  it.each([
    ['is refused', () => Promise.reject(new Error('the API server is gone'))],
    [
      'throws at once',
      () => {
        throw new Error('the API server is gone');
      },
    ],
  ] as [string, Exec][])('is unknown when starting it %s', async (_, exec) => {
    expect(await runProbe(probe, { ...patiently, exec })).toEqual({
      outcome: 'unknown',
      errorKind: 'exec-unavailable',
      message: 'the API server is gone',
    });
  });

  it('is unknown when it could not be started in time', async () => {
    const finding = await runProbe(probe, { within: 50, exec: () => new Promise(() => {}) });
    expect(finding).toMatchObject({ outcome: 'unknown', errorKind: 'exec-unavailable' });
  });

  it('is unknown where commands are not enabled, or none is named', async () => {
    expect(await runProbe(probe)).toMatchObject({ outcome: 'unknown', errorKind: 'invalid-check' });
    const exec: Exec = () => Promise.resolve({ exitCode: 0, output: '' });
    expect(await runProbe({ ...probe, command: [] }, { exec })).toMatchObject({ errorKind: 'invalid-check' });
  });
});
