import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { type KernelFeature, kernelFeatures, parseTrials, trialScript } from './kernel-features.ts';

const feature = (id: string, trial: string): KernelFeature => ({
  id,
  title: id,
  neededFor: 'nodes',
  with: [],
  trial,
  remedy: '',
});

describe('a trial', () => {
  const script = trialScript([
    feature('works', 'true'),
    feature('complains', 'echo first >&2; echo second line >&2; false'),
    feature('silent', 'false'),
    feature('goes-on', 'test "$(echo x)" = x'),
  ]);
  const trials = parseTrials(execFileSync('sh', ['-c', script], { encoding: 'utf8' }));

  it('tells what works from what does not', () => {
    expect([...trials].map(([id, problem]) => [id, problem === undefined])).toEqual([
      ['works', true],
      ['complains', false],
      ['silent', false],
      ['goes-on', true],
    ]);
  });

  it('keeps what a failure said, in one line', () => {
    expect(trials.get('complains')).toBe('first second line');
  });
});

it('has trials that fit into the script’s quotes', () => {
  expect(kernelFeatures.filter(({ trial }) => trial.includes("'"))).toEqual([]);
});
