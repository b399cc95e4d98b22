import { describe, expect, it } from 'vitest';
import { sdkOptions } from './options.ts';

const all = ['kurator', 'controller-runtime', 'kopf'];

describe('sdkOptions', () => {
  it('measures everybody, at three sizes, three times, unless told', () => {
    expect(sdkOptions({}, all)).toEqual({
      subjects: all,
      runs: 3,
      size: 3000,
      cached: 20_000,
      shares: [0.1, 1, 3],
    });
  });

  it('takes a few subjects and one size for a quick look', () => {
    const env = { SUBJECTS: 'kurator, kopf', SIZES: '1', SIZE: '100', RUNS: '1' };
    expect(sdkOptions(env, all)).toMatchObject({ subjects: ['kurator', 'kopf'], shares: [1], size: 100, runs: 1 });
  });

  it.each([
    [{ SUBJECTS: 'kurator,koppf' }, 'SUBJECTS: there is no "koppf"; use kurator, controller-runtime, kopf'],
    [{ RUNS: '0' }, 'RUNS: "0" is not a number above 0'],
    [{ SIZE: 'many' }, 'SIZE: "many" is not a number above 0'],
    [{ SIZE: '1.5' }, 'SIZE: "1.5" is not a whole number'],
    [{ SIZES: '0.1,' }, 'SIZES: "" is not a number above 0'],
  ])('names the variable that makes no sense: %o', (env, message) => {
    expect(() => sdkOptions(env, all)).toThrow(message);
  });
});
