import { describe, expect, it } from 'vitest';
import { filterOf, filterProblems } from './filter.ts';

describe('a filter', () => {
  it('takes out what an expression names', () => {
    const filter = filterOf({
      pattern: '^(?P<branch>[a-z]+)-([0-9a-f]{4})-(?P<time>[0-9]+)$',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is how a group is named.
      extract: '${time}.$1.$2',
    });
    expect(filter('main-a1b2-17')).toEqual({ text: '17.main.a1b2' });
    expect(filter('main')).toMatchObject({ why: expect.stringContaining('spec.filter.pattern') });
  });

  it('takes no longer for what would keep others busy for ever', () => {
    const filter = filterOf({ pattern: '^(a+)+$' });
    const begin = performance.now();
    for (let i = 0; i < 1000; i++) filter(`${'a'.repeat(120)}_`);
    expect(performance.now() - begin).toBeLessThan(5000);
  });

  it.each([
    ['a bracket is open', { pattern: '([0-9]' }, 'spec.filter.pattern'],
    ['it looks around', { pattern: '(?=1)1' }, 'no backreferences and no lookaround'],
    ['what is left out is no expression', { exclude: '*' }, 'spec.filter.exclude'],
    ['a group is not there', { pattern: '(?P<a>1)', extract: '$b' }, 'no group b: it has a'],
    ['a number is too large', { pattern: '(1)', extract: '$2' }, 'no group 2; name one'],
    ['there is nothing to take from', { extract: '$1' }, 'give spec.filter.pattern'],
  ])('is refused where %s', (_, filter, problem) => {
    expect(filterProblems(filter).join()).toContain(problem);
  });

  it('is fine otherwise', () => {
    expect(filterProblems({ pattern: '^v(.*)$', extract: '$1', exclude: '-rc' })).toEqual([]);
    expect(filterProblems()).toEqual([]);
  });
});
