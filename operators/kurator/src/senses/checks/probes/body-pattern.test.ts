import { expect, it } from 'vitest';
import { InvalidCheck } from '../check.ts';
import { compilePattern, matchPattern } from './body-pattern.ts';

it.each([
  ['ok', 'all ok', 'yes'],
  ['ok', 'bad', 'no'],
  ['"status":\\s*"(ok|fine)"', '{"status": "fine"}', 'yes'],
  ['^\\d+$', '12a', 'no'],
  ['^ü+$', 'üü', 'yes'],
])('matches %s against %s: %s', (source, text, match) => {
  expect(matchPattern(compilePattern(source), text)).toBe(match);
});

it('stops a pattern that would backtrack for ever, and goes on with the next', () => {
  expect(matchPattern(compilePattern('^(a+)+$'), `${'a'.repeat(60)}b`)).toBe('too-slow');
  expect(matchPattern(compilePattern('a+b'), 'aab')).toBe('yes');
});

it('refuses what is no pattern, and says why', () => {
  expect(() => compilePattern('(')).toThrow(InvalidCheck);
  expect(() => compilePattern('(')).toThrow(/bodyMatches/);
});
