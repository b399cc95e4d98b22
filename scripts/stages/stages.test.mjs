import { describe, expect, it } from 'vitest';
import { chooseStages, stages } from './stages.mjs';

describe('chooseStages', () => {
  it('chooses every stage, from quick to slow, when none is named', () => {
    expect(chooseStages([]).names).toEqual([
      'types',
      'lint',
      'imports',
      'packages',
      'unit',
      'programs',
      'integration',
      'e2e',
    ]);
  });

  it('passes other arguments on to the one stage that is named', () => {
    expect(chooseStages(['unit', 'packages/client', '-t', 'lint'])).toEqual({
      names: ['unit'],
      rest: ['packages/client', '-t', 'lint'],
    });
  });

  it('refuses arguments that no single stage could take', () => {
    expect(() => chooseStages(['units'])).toThrow(
      `"units" is not a stage. Stages are ${Object.keys(stages).join(', ')}`,
    );
  });
});
