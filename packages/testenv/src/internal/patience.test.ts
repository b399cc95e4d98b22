import { describe, expect, it } from 'vitest';
import { patient } from './patience.ts';

describe('patient', () => {
  it('leaves deadlines as they are where nothing is set', () => {
    expect(patient(30_000, {})).toBe(30_000);
    expect(patient(30_000, { KURATOR_PATIENCE: '' })).toBe(30_000);
  });

  it('stretches them by the factor that is set', () => {
    expect(patient(30_000, { KURATOR_PATIENCE: '2.5' })).toBe(75_000);
  });

  it.each(['0', '-1', '0.5', '1000', 'much', 'NaN'])('refuses %s', (factor) => {
    expect(() => patient(30_000, { KURATOR_PATIENCE: factor })).toThrow(
      expect.objectContaining({ code: 'KUR_TESTENV_BAD_SETTING', remedy: expect.stringContaining('1 to 100') }),
    );
  });
});
