import { describe, expect, it } from 'vitest';
import { claimedLevel, type Level } from './check.ts';
import { met, notApplicable, type Outcome, unmet, untested } from './outcome.ts';
import { isPassed, levelReport, type Report, reachedLevel, reportText } from './report.ts';

function reportOf(...outcomes: Outcome[]): Report {
  const levels = outcomes.map((outcome, at) =>
    levelReport((at + 1) as Level, [
      { id: `first-${at + 1}`, title: 'it does the first', ...met('seen') },
      { id: `other-${at + 1}`, title: 'it does the other', ...outcome },
    ]),
  );
  const tests = [{ id: 'basic', title: 'basic', ...met('2 examples') }];
  return {
    operator: 'web-operator',
    version: '1.2.0',
    cluster: 'in no cluster',
    claimed: 3,
    reached: reachedLevel(levels),
    tests,
    levels,
  };
}

const strict = { level: 3, strict: true } as const;
const lenient = { level: 3, strict: false } as const;

describe('a report', () => {
  it('counts what is met up to the first level that is not, whatever is above', () => {
    expect(reportOf(met(''), notApplicable(''), untested(''), met('')).reached).toBe(2);
    expect(reportOf(unmet(''), met('')).reached).toBe(0);
    expect(reportOf(met(''), met('')).reached).toBe(2);
  });

  it('fails for what is not met up to the level that is asked for; strictly, also for what was not tested', () => {
    const report = reportOf(met(''), untested(''), met(''), unmet(''));
    expect(isPassed(report, lenient)).toBe(true);
    expect(isPassed(report, strict)).toBe(false);
    expect(isPassed(report, { level: 4, strict: false })).toBe(false);
  });

  it('fails for a test of the bundle, at any level', () => {
    const tests = [{ id: 'basic', title: 'basic', ...unmet('there are no examples') }];
    expect(isPassed({ ...reportOf(met('')), tests }, { level: 1, strict: false })).toBe(false);
  });

  it('says for each line what was seen, what helps, and what holds the next level up', () => {
    const text = reportText(reportOf(met('seen too'), unmet('it was lost', 'keep it'), untested('no cluster')));
    expect(text).toMatchInlineSnapshot(`
      "web-operator 1.2.0, in no cluster

      Basic and OLM tests
        met       basic    basic
                           2 examples

      Level 1, Basic Install: met
        met       first-1  it does the first
                           seen
        met       other-1  it does the other
                           seen too

      Level 2, Seamless Upgrades: NOT MET
        met       first-2  it does the first
                           seen
        NOT MET   other-2  it does the other
                           it was lost
                           fix: keep it

      Level 3, Full Lifecycle: untested
        met       first-3  it does the first
                           seen
        untested  other-3  it does the other
                           no cluster

      1 of 1 tests are met. It claims level 3; what was seen here is level 1: level 2 lacks other-2."
    `);
  });
});

describe('a claim', () => {
  it('is one of OLM’s five words, and the lowest where it is none of them', () => {
    expect(['Basic Install', 'Auto Pilot', 'Rocket Science', undefined].map(claimedLevel)).toEqual([1, 5, 1, 1]);
  });
});
