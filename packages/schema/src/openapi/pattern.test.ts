import { describe, expect, it } from 'vitest';
import { PatternProblem, re2Of } from './pattern.ts';

describe('an expression that RE2 says otherwise', () => {
  it.each([
    [/^a.b\d\w\s$/, '^a.b\\d\\w\\s$'],
    [/abc/gi, '(?i)abc'],
    [/^a$/ms, '(?ms)^a$'],
    [/\u0041\u{1F600}/u, '\\x{0041}\\x{1F600}'],
    [/\ud83d\ude00/, '\\x{1f600}'],
    [/\cA\0/, '\\x{1}\\x00'],
    [/(?<year>\d{4})/, '(?P<year>\\d{4})'],
    [new RegExp(['[^]', '[]'].join('|')), '(?s:.)|[^\\x00-\\x{10FFFF}]'],
    // RE2 would read it as the name of a class.
    [/[[:alpha:]]/, '[\\[:alpha:]]'],
    [/[\b\-\]]/, '[\\x08\\-\\]]'],
    // \a is a letter to JavaScript, and a bell to RE2.
    [/azA/, 'azA'],
    [/\p{Lu}\p{Script=Greek}/u, '\\p{Lu}\\p{Greek}'],
    [/\//, '\\/'],
  ])('%s', (expression, said) => {
    expect(re2Of(expression)).toEqual({ all: [said], none: [] });
  });

  it('has look-aheads at its beginning as expressions of their own', () => {
    expect(re2Of(/^(?=.*\d)(?!x[)y])[a-z\d]+$/)).toEqual({ all: ['^(?:.*\\d)', '^[a-z\\d]+$'], none: ['^(?:x[)y])'] });
  });
});

describe('an expression that RE2 has no words for', () => {
  it.each([
    [/(a)\1/, 'a reference back to a group'],
    [/(?<a>x)\k<a>/, 'a reference back to a group'],
    [/a(?=b)/, 'a look-ahead or look-behind in the middle'],
    [/(?<!a)b/, 'a look-ahead or look-behind in the middle'],
    [/^(?=a)b|c/, 'a look-ahead in one of several alternatives'],
    [/a{2,5000}/, 'a count of more than 1000'],
    [/a/y, 'the flag "y"'],
    [/[\p{L}--[a-z]]/v, 'the flag "v"'],
    [/\p{Emoji}/u, 'the property \\p{Emoji}'],
    [/\ud83d/, 'half of a surrogate pair'],
  ])('%s: %s', (expression, problem) => {
    expect(() => re2Of(expression)).toThrow(new PatternProblem(problem));
  });
});
