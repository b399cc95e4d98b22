import { describe, expect, it } from 'vitest';
import { mutants } from './mutants.ts';
import { etcdOptions } from './options.ts';
import { scenarioBy, scenarios } from './scenarios.ts';

describe('etcdOptions', () => {
  it('does each scenario once unless told otherwise', () => {
    const { seeds, isWhole, isWanted } = etcdOptions([]);
    expect(seeds).toHaveLength(scenarios.length);
    expect(isWhole).toBe(true);
    expect(['upgrade', 'nospace', 'crashes', 'pod-crashes'].filter(isWanted)).toEqual([
      'upgrade',
      'nospace',
      'crashes',
    ]);
  });

  it('does one run again by its seed', () => {
    const { seeds, isWhole, isWanted } = etcdOptions(['--seed', '17']);
    expect([seeds, isWhole]).toEqual([[17], false]);
    expect(['upgrade', 'adds-first', 'crashes', 'cost'].filter(isWanted)).toEqual(['upgrade']);
  });

  it('goes on with later seeds', () => {
    expect(etcdOptions(['--runs', '2', '--first', '17'])).toMatchObject({ seeds: [17, 18], isWhole: false });
  });

  it('resumes runs, and does nothing else', () => {
    const { seeds, isWhole, isWanted, minutes } = etcdOptions(['--runs', '100', '--resume', '--minutes', '8']);
    expect([seeds.length, isWhole, minutes]).toEqual([100, false, 8]);
    expect(['upgrade', 'adds-first', 'backups'].filter(isWanted)).toEqual(['upgrade']);
  });

  it('needs no nodes for what is simulated', () => {
    expect(etcdOptions(['--only', 'cost,crashes']).needsNodes).toBe(false);
    expect(etcdOptions(['--only', 'cost,pod-crashes']).needsNodes).toBe(true);
  });

  it('leaves out what is not named', () => {
    const { isWanted, isWhole } = etcdOptions(['--only', 'upgrade,adds-first']);
    expect(isWhole).toBe(false);
    expect(['upgrade', 'adds-first', 'loss'].filter(isWanted)).toEqual(['upgrade', 'adds-first']);
  });

  it.each([
    [['--runs', '0'], /--runs: "0"/],
    [['--at-once', '0'], /--at-once: "0"/],
    [['--seed', 'x'], /--seed: "x"/],
    [['--crashes', '2'], /--crashes: "2" is more than 1/],
    [['--only', 'fire'], /--only: there is no "fire"; use some of kill-follower/],
  ])('refuses %j', (args, said) => {
    expect(() => etcdOptions(args)).toThrow(said);
  });
});

describe('mutants', () => {
  it('each has a scenario that there is', () => {
    for (const { scenario } of Object.values(mutants)) expect(scenarioBy(scenario).name).toBe(scenario);
  });
});
