import { describe, expect, it } from 'vitest';
import { mutants } from './mutants.ts';
import { etcdOptions } from './options.ts';
import { scenarioBy, scenarios } from './scenarios.ts';

describe('etcdOptions', () => {
  it('does each scenario once unless told otherwise', () => {
    const { seeds, isReplay, isWanted } = etcdOptions([]);
    expect(seeds).toHaveLength(scenarios.length);
    expect([isReplay, isWanted('upgrade')]).toEqual([false, true]);
  });

  it('does one run again by its seed', () => {
    expect(etcdOptions(['--seed', '17'])).toMatchObject({ seeds: [17], isReplay: true });
  });

  it('goes on with later seeds', () => {
    expect(etcdOptions(['--runs', '2', '--first', '17'])).toMatchObject({ seeds: [17, 18], isWhole: false });
  });

  it('leaves out what is not named', () => {
    const { isWanted, isWhole } = etcdOptions(['--only', 'upgrade,adds-first']);
    expect(isWhole).toBe(false);
    expect(['upgrade', 'adds-first', 'loss'].filter(isWanted)).toEqual(['upgrade', 'adds-first']);
  });

  it.each([
    [['--runs', '0'], /--runs: "0"/],
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
