import { describe, expect, it } from 'vitest';
import { chooseStages, stages, usage } from './stages.mjs';

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
    expect(chooseStages(['unit', 'packages/client', '-t', 'lint'])).toMatchObject({
      names: ['unit'],
      rest: ['packages/client', '-t', 'lint'],
    });
  });

  it('keeps its own options from the stage', () => {
    expect(chooseStages(['unit', '--times', 'packages/client'])).toEqual({
      names: ['unit'],
      rest: ['packages/client'],
      times: true,
      help: false,
    });
    expect(chooseStages(['--help'])).toMatchObject({ rest: [], help: true });
  });

  it('has help that names every stage and option', () => {
    for (const word of [...Object.keys(stages), '--times', '--help']) expect(usage).toContain(word);
  });

  it('refuses arguments that no single stage could take', () => {
    expect(() => chooseStages(['units'])).toThrow(
      `"units" is not a stage. Stages are ${Object.keys(stages).join(', ')}`,
    );
  });
});
